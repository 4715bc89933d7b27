import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutAtWhiteSpace, messageRows } from './message-rows.ts'
import { RowPacker, unpackRows } from './packed-rows.ts'

const text = (role: 'user' | 'assistant' | 'tool', message: string) =>
  messageRows({ role, text: message, timestampMs: null }, 0).map((row) => row.text)

describe('messageRows', () => {
  it('stores no U+0000, at which a driver may end a text', () => {
    const [row] = messageRows({ role: 'user', text: 'before\0after', timestampMs: null }, 0)
    expect(row?.text).toBe('before\ufffdafter')
  })

  it('[index.tool-cap] keeps the first 3,072 units of a tool’s text, in one row', () => {
    const rows = text('tool', `${'x'.repeat(3067)} kept dropped ${'y'.repeat(1_000_000)}`)
    expect(rows).toHaveLength(1)
    expect(rows[0]).toHaveLength(3072)
    expect(rows[0]?.endsWith(' kept')).toBe(true)
  })

  it('[index.tool-cap] does not cut a surrogate pair at the cap', () => {
    expect(text('tool', `${'x'.repeat(3071)}😀`)).toEqual(['x'.repeat(3071)])
    expect(text('tool', `${'x'.repeat(3070)}😀tail`)).toEqual([`${'x'.repeat(3070)}😀`])
  })

  it('[index.text-in-full] keeps all of a user’s and an assistant’s text', () => {
    const long = 'a word or two '.repeat(20_000)
    expect(text('user', long).join('')).toBe(long)
    expect(text('assistant', long).join('')).toBe(long)
  })

  it('carries the position, the role and the time on every chunk', () => {
    const rows = messageRows({ role: 'assistant', text: 'word '.repeat(4000), timestampMs: 5 }, 9)
    expect(rows).toHaveLength(3)
    for (const row of rows) expect(row).toMatchObject({ position: 9, role: 1, timestampMs: 5 })
  })

  it('hands the full text another spelling only where it needs one', () => {
    const [plain] = messageRows({ role: 'user', text: 'plain parseHttp', timestampMs: null }, 0)
    expect(plain).toMatchObject({ searchable: null, identifiers: 'parse http' })
    const [chinese] = messageRows({ role: 'user', text: '登录', timestampMs: null }, 0)
    expect(chinese?.searchable).not.toBeNull()
  })
})

describe('cutAtWhiteSpace', () => {
  it('[index.chunk-boundary] lets a word that would straddle the cut begin the next chunk', () => {
    const before = 'filler '.repeat(1142)
    expect(before.length).toBeLessThan(8000)
    const chunks = cutAtWhiteSpace(`${before}pericardium ${'more '.repeat(300)}`, 8000)
    expect(chunks).toHaveLength(2)
    expect(chunks[1]?.startsWith('pericardium')).toBe(true)
  })

  it('cuts at white space rather than beside the punctuation of a path or an identifier', () => {
    const before = 'filler '.repeat(1142)
    const chunks = cutAtWhiteSpace(`${before}a/b.c-d/e.ts ${'more '.repeat(300)}`, 8000)
    expect(chunks[0]).toBe(before)
  })

  it('cuts hard where there is no place to cut', () => {
    expect(cutAtWhiteSpace('a'.repeat(20_000), 8000).map((chunk) => chunk.length)).toEqual([8000, 8000, 4000])
  })

  it('cuts beside punctuation where there is no white space, never inside a word', () => {
    const chunks = cutAtWhiteSpace('abcdefg,'.repeat(2000), 8000)
    for (const chunk of chunks.slice(0, -1)) expect(chunk.endsWith(',')).toBe(true)
  })

  it('takes an ideographic space for one', () => {
    const chunks = cutAtWhiteSpace(`${'字'.repeat(6000)}\u3000${'字'.repeat(6000)}`, 8000)
    expect(chunks.map((chunk) => chunk.length)).toEqual([6001, 6000])
  })

  it('makes up the text again, in chunks that fit and split no surrogate pair', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.constantFrom('😀😀😀', ' ', '\n', '\u3000', 'word'),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 4, max: 40 }), (pieces, max) => {
        const whole = pieces.join('')
        const chunks = cutAtWhiteSpace(whole, max)
        expect(chunks.join('')).toBe(whole)
        for (const chunk of chunks) {
          expect(chunk.length).toBeLessThanOrEqual(max)
          expect(chunk.isWellFormed()).toBe(whole.isWellFormed())
        }
      }),
    )
  })
})

describe('RowPacker', () => {
  it('gives back the rows it was given', () => {
    const row = fc.record({
      position: fc.nat(),
      role: fc.constantFrom(0, 1, 2),
      timestampMs: fc.option(fc.integer({ min: 0 })),
      text: fc.string({ unit: 'binary' }),
      searchable: fc.option(fc.string({ unit: 'binary', minLength: 1 })),
      identifiers: fc.string(),
    })
    const decode = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')
    fc.assert(
      fc.property(fc.array(row), fc.nat({ max: 100 }), (rows, expected) => {
        const packer = new RowPacker(expected)
        for (const each of rows) packer.add(each)
        const packed = packer.take()
        expect(packed.count).toBe(rows.length)
        const unpacked = Array.from(unpackRows(packed), (each) => ({
          ...each,
          text: decode(each.text),
          searchable: decode(each.searchable),
          identifiers: decode(each.identifiers),
        }))
        expect(unpacked).toEqual(rows.map((each) => ({ ...each, searchable: each.searchable ?? each.text })))
        expect(packer.take().count).toBe(0)
      }),
    )
  })

  it('stores a lone surrogate as the replacement character', () => {
    const packer = new RowPacker(0)
    packer.add({
      position: 0,
      role: 0,
      timestampMs: null,
      text: 'a\ud800b',
      searchable: null,
      identifiers: '',
    })
    const [row] = unpackRows(packer.take())
    expect(Buffer.from(row?.text ?? []).toString()).toBe('a\ufffdb')
  })
})
