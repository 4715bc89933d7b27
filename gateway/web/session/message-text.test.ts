import { describe, expect, it } from 'vitest'
import { tokensOf } from './highlight.ts'
import { messageText } from './message-text.ts'
import { soughtIn } from './sought-words.ts'
import { segmentsOf } from './text-segments.ts'

describe('messageText', () => {
  const phrases = soughtIn('loop')

  it('numbers the matches of a message through all its blocks, code and links too', () => {
    const text =
      'a loop\n\n- **loop** `loop`\n\n```ts\nfor loop\n```\n\n| loop |\n|---|\n| [loop](http://x.example) |'
    const { matchCount, shownMatches, marks } = messageText(text, 'assistant', phrases, false)
    expect([matchCount, shownMatches]).toEqual([6, 6])
    expect([...marks.values()].flat().map(({ number }) => number)).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('shows the beginning of a long message, and knows how many matches the rest holds', () => {
    const text = `loop ${'word '.repeat(10_000)}loop\n\nloop`
    const cut = messageText(text, 'assistant', phrases, false)
    expect(cut).toMatchObject({ matchCount: 3, shownMatches: 1, wholeBytes: text.length })
    expect(JSON.stringify(cut.blocks).length).toBeLessThan(13_000)
    expect(messageText(text, 'assistant', phrases, true)).toMatchObject({ shownMatches: 3, wholeBytes: null })
  })

  it('bounds long lines in lists, quotes, tables and code too', () => {
    const long = 'x'.repeat(50_000)
    for (const text of [
      `- ${long}\n- b`,
      `> ${long}`,
      `| ${long} |\n|---|\n| b |`,
      `\`\`\`\n${long}\n\`\`\``,
    ]) {
      const { blocks } = messageText(text, 'user', [], false)
      expect(JSON.stringify(blocks).length).toBeLessThan(7_000)
    }
  })

  it('takes what tools say as it is', () => {
    const { blocks } = messageText('# no heading\n- no list', 'tool', [], false)
    expect(blocks).toEqual([
      { kind: 'paragraph', inlines: [{ kind: 'text', text: '# no heading\n- no list' }] },
    ])
  })

  it('takes terminal colours out and shows what would reorder', () => {
    const { blocks } = messageText('\u001b[31mred\u001b[0m \u202eloop', 'assistant', [], false)
    expect(JSON.stringify(blocks)).toContain('red ⟨RLO⟩loop')
  })
})

describe('segmentsOf', () => {
  it('cuts at matches and at tokens, and loses nothing', () => {
    const tokens = [
      { text: 'const ', kind: 'kwd' },
      { text: 'loopCount', kind: null },
    ]
    expect(segmentsOf('const loopCount', [{ start: 3, end: 10, number: 7 }], tokens)).toEqual([
      { text: 'con', match: null, kind: 'kwd' },
      { text: 'st ', match: 7, kind: 'kwd' },
      { text: 'loop', match: 7, kind: null },
      { text: 'Count', match: null, kind: null },
    ])
    expect(segmentsOf('ab', [])).toEqual([{ text: 'ab', match: null, kind: null }])
    expect(segmentsOf('', [])).toEqual([])
  })
})

describe('tokensOf', () => {
  it.each([
    ['ts', 'const a: string = `x` // why', 'kwd'],
    ['python', 'def f(x):\n  """doc"""\n  return None', 'kwd'],
    ['sh', 'git commit -m "x" | cat # y', 'str'],
    ['rust', 'fn main() { let x = 1; }', 'kwd'],
    ['diff', '@@ -1 +1 @@\n-a\n+b', 'insert'],
    ['html', '<p class="x">a<script>let b = 1</script></p>', 'class'],
    ['json', '{"a": [1, true, null]}', 'bool'],
  ])('reads %s, and keeps every character', (language, code, kind) => {
    const tokens = tokensOf(code, language)
    expect(tokens?.map(({ text }) => text).join('')).toBe(code)
    if (language !== 'html') expect(tokens?.map((token) => token.kind)).toContain(kind)
  })

  it('leaves alone what it does not know, and what is too long', () => {
    expect(tokensOf('x', '')).toBe(null)
    expect(tokensOf('x', 'constructor')).toBe(null)
    expect(tokensOf('x'.repeat(10_001), 'ts')).toBe(null)
  })

  it.each([
    ['runs of blanks', ' '],
    ['lines of blanks', `${' '.repeat(90)}\n`],
    ['one word', 'a'],
    ['long words', `${'a'.repeat(90)} `],
    ['open comments', '/* '],
    ['open quotes', '"\\ '],
    ['open templates', `\`$${'{'} `],
    ['open tags', '<a b='],
    ['keys', 'a:'],
  ])('takes no long time over %s', (_name, seed) => {
    const code = seed.repeat(Math.ceil(10_000 / seed.length)).slice(0, 10_000)
    for (const language of [
      'ts',
      'py',
      'bash',
      'html',
      'sql',
      'css',
      'yaml',
      'c',
      'json',
      'diff',
      'docker',
      'toml',
    ]) {
      const startedMs = performance.now()
      tokensOf(code, language)
      expect(performance.now() - startedMs).toBeLessThan(1500)
    }
  })
})
