import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { operatorNames, type QueryPart, readQuerySyntax, withoutParts } from './query-syntax.ts'

/** A part in short: `agent=codex`, `-word`, `"quoted"`, `prefix*`, `…` for an operator still being typed. */
function short(part: QueryPart): string {
  if (part.kind === 'unfinished') return '…'
  const minus = part.negative ? '-' : ''
  if (part.kind === 'operator') return `${minus}${part.name}=${part.value}`
  return `${minus}${part.quoted ? `"${part.text}"` : part.text}${part.prefix ? '*' : ''}`
}

const read = (text: string) => readQuerySyntax(text).map(short)
const reasons = (text: string) =>
  readQuerySyntax(text).map((part) => (part.kind === 'text' ? part.because : undefined))

describe('readQuerySyntax', () => {
  it.each<[string, string[]]>([
    ['agent:codex needle', ['agent=codex', 'needle']],
    ['AGENT:Codex -Repo:x', ['agent=Codex', '-repo=x']],
    ['path:"/My Files/x" path:\'a b\' y', ['path=/My Files/x', 'path=a b', 'y']],
    ['path:"open end', ['path=open', 'end']],
    ['host:ssh:devbox before:2026-11-30T09:00Z', ['host=ssh:devbox', 'before=2026-11-30T09:00Z']],
    ['"two words" -"not these" x"y z"', ['"two words"', '-"not these"', 'x', '"y z"']],
    ['"see path:foo"', ['"see path:foo"']],
    ['(path:x x-path:y xpath:z', ['(path:x', 'x-path:y', 'xpath:z']],
    ['-draft -é -登 -_x -@me', ['-draft', '-é', '-登', '-_x', '-@me']],
    ['--watch -m -1 -32601 -> -=', ['--watch', '-m', '-1', '-32601', '->', '-=']],
    ['well-known a-b', ['well-known', 'a-b']],
    ['recon* "connection res"* -dra*', ['recon*', '"connection res"*', '-dra*']],
    ['**bold** *.ts src/* * foo** a*b', ['**bold**', '*.ts', 'src/*', '*', 'foo**', 'a*b']],
    [
      '“two words” -“not these” path:“My Files” a“b c”',
      ['"two words"', '-"not these"', 'path=My Files', 'a', '"b c"'],
    ],
    ['“open end path:“x', ['open', 'end', 'path=x']],
    ['unclosed "quote here', ['unclosed', 'quote', 'here']],
    ['C:\\Users\\me https://x.org/?q=1:2', ['C:\\Users\\me', 'https://x.org/?q=1:2']],
    ['needle repo:', ['needle', '…']],
    ['needle repo: agent:pi path:', ['needle', '…', 'agent=pi', '…']],
    ['bad path: host:x y', ['bad', 'path:', 'host=x', 'y']],
    ['bad path: /x', ['bad', 'path:', '/x']],
    ['path:"" x', ['path:', 'x']],
    ['', []],
    [' \n\t ', []],
    ['"', []],
  ])('reads %j', (text, parts) => expect(read(text)).toEqual(parts))

  it('says why something that looks like syntax is text', () => {
    expect(reasons('lang:ts -lang:ts path: x')).toEqual([
      'unknown-operator',
      'unknown-operator',
      'no-value',
      undefined,
    ])
    expect(reasons('--watch -m -32601')).toEqual(['flag', 'flag', 'number'])
    expect(reasons('https://x std::vec localhost:80 C:\\x a-b "lang:ts" file.ts:12')).toEqual(
      Array(7).fill(undefined),
    )
  })

  it('reads any text, each part where it says it stands, in order', () => {
    const soup = fc.constantFrom(
      ...operatorNames.flatMap((name) => [`${name}:`, `-${name}:"`, `${name}:'a b'`]),
      ...['"', '“', '”', "'", '-', '*', ':', ' ', '\n', '登', '👩‍💻', '\ud800', 'x', '\\'],
    )
    const text = fc
      .array(fc.oneof(soup, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 40 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (query) => {
        let end = 0
        for (const part of readQuerySyntax(query)) {
          expect(part.start).toBeGreaterThanOrEqual(end)
          expect(part.end).toBeGreaterThan(part.start)
          end = part.end
          if (part.kind === 'operator') expect(part.value.trim()).not.toBe('')
          if (part.kind === 'text') expect(query.slice(part.start, part.end)).toContain(part.text)
        }
        expect(end).toBeLessThanOrEqual(query.length)
      }),
      { numRuns: 500 },
    )
  })

  it('takes time in proportion to the length, whatever is left open', () => {
    // Quadratic reading of these would take minutes.
    for (const part of ['path:" ', "path:'", '"x', '-"', 'a* ', '- ', "host:'x ", 'x“', 'path:“'])
      expect(readQuerySyntax(part.repeat(50_000)).length).toBeGreaterThan(0)
  })
})

describe('withoutParts', () => {
  const without = (text: string) =>
    withoutParts(
      text,
      readQuerySyntax(text).filter((part) => part.kind === 'operator' && part.name === 'host'),
    )

  it('leaves the rest as it was, and no hole where a part stood', () => {
    expect(without('needle host:devbox "a  b"')).toBe('needle "a  b"')
    expect(without('host:devbox needle')).toBe('needle')
    expect(without('a host:x -host:y b')).toBe('a b')
    expect(without('a  b')).toBe('a  b')
    expect(without('host:x')).toBe('')
    expect(without('host:"My box"needle')).toBe('needle')
  })

  it('changes nothing of how the rest is read', () => {
    const piece = fc.constantFrom(
      'a',
      '"b c"',
      '-d',
      'e*',
      'agent:x',
      'host:y',
      '-host:"z z"',
      'path:"p q"',
      '登',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const kept = pieces.filter((each) => !each.includes('host:')).join(' ')
        expect(read(without(pieces.join(' ')))).toEqual(read(kept))
      }),
    )
  })
})
