import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineSplitter, splitLines, type TranscriptLine } from './transcript-lines.ts'

function lines(bytes: Buffer, cuts: readonly number[] = [], limitBytes?: number): TranscriptLine[] {
  const options = limitBytes === undefined ? {} : { maxLineBytes: limitBytes }
  return [...splitLines(cut(bytes, cuts), options)]
}

/** Each chunk in memory of its own that is overwritten afterwards, as a reader's buffer is. */
function* cut(bytes: Buffer, cuts: readonly number[]): Generator<Buffer> {
  const edges = [0, ...[...cuts].sort((a, b) => a - b).map((at) => Math.min(at, bytes.length)), bytes.length]
  for (let index = 1; index < edges.length; index += 1) {
    const chunk = Buffer.from(bytes.subarray(edges[index - 1], edges[index]))
    yield chunk
    chunk.fill(0x78)
  }
}

describe('splitLines', () => {
  it('yields each complete line with the offset after its newline', () => {
    expect(lines(Buffer.from('a\nbé\n\nc'))).toEqual([
      { text: 'a', endOffset: 2 },
      { text: 'bé', endOffset: 6 },
      { text: '', endOffset: 7 },
    ])
  })

  it('leaves an unterminated last line for the next read, which begins at its start', () => {
    const splitter = lineSplitter({ startOffset: 100 })
    expect([...splitter.push(Buffer.from('one\ntw'))]).toEqual([{ text: 'one', endOffset: 104 }])
    expect(splitter.resumeOffset()).toBe(104)
    expect([...splitter.push(Buffer.from('o\n'))]).toEqual([{ text: 'two', endOffset: 108 }])
    expect(splitter.resumeOffset()).toBe(108)
  })

  it('drops one carriage return before the newline, also where a chunk ends between them', () => {
    const bytes = Buffer.from('a\r\nb\r\r\nc\rd\n')
    const expected = ['a', 'b\r', 'c\rd']
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(lines(bytes, [at]).map(({ text }) => text)).toEqual(expected)
    }
  })

  it('splits at no other line separator', () => {
    expect(lines(Buffer.from('a\u2028b\u2029c\u0085d\ve\ff\n')).map(({ text }) => text)).toEqual([
      'a\u2028b\u2029c\u0085d\ve\ff',
    ])
  })

  it('replaces bytes that are no UTF-8 and keeps NULs', () => {
    const bytes = Buffer.from([0x61, 0xff, 0x62, 0x0a, 0, 0, 0, 0x0a, 0xc3, 0x0a])
    expect(lines(bytes).map(({ text }) => text)).toEqual(['a\ufffdb', '\0\0\0', '\ufffd'])
  })

  it('passes over a line longer than the limit and goes on after it', () => {
    const bytes = Buffer.from(`${'x'.repeat(9)}\nok\n${'y'.repeat(8)}\r\n${'z'.repeat(8)}\n`)
    const expected: TranscriptLine[] = [
      { text: null, endOffset: 10 },
      { text: 'ok', endOffset: 13 },
      { text: 'y'.repeat(8), endOffset: 23 },
      { text: 'z'.repeat(8), endOffset: 32 },
    ]
    expect(lines(bytes, [], 8)).toEqual(expected)
    expect(lines(bytes, [3, 9, 10, 20], 8)).toEqual(expected)
  })

  it('holds no more than the limit of a line that never ends', () => {
    const splitter = lineSplitter({ maxLineBytes: 1024 })
    const chunk = Buffer.alloc(1024 * 1024, 0x61)
    const heldBefore = process.memoryUsage().arrayBuffers
    for (let mebibytes = 0; mebibytes < 300; mebibytes += 1) expect([...splitter.push(chunk)]).toEqual([])
    expect(process.memoryUsage().arrayBuffers - heldBefore).toBeLessThan(64 * 1024 * 1024)
    expect([...splitter.push(Buffer.from('\nnext\n'))]).toEqual([
      { text: null, endOffset: 300 * 1024 * 1024 + 1 },
      { text: 'next', endOffset: 300 * 1024 * 1024 + 6 },
    ])
  })

  it('gives the same lines under any chunking', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }).map((text) => Buffer.from(text)),
      fc.constantFrom('\n', '\r\n', '\n\n', '\r', '\0', 'é€😀').map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
    )
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }).map((pieces) => Buffer.concat(pieces)),
        fc.array(fc.nat({ max: 300 }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 20 }),
        (bytes, cuts, limitBytes) => {
          const whole = lines(bytes, [], limitBytes)
          expect(lines(bytes, cuts, limitBytes)).toEqual(whole)
          const newlines = [...bytes].filter((byte) => byte === 0x0a).length
          expect(whole).toHaveLength(newlines)
          expect(whole.at(-1)?.endOffset ?? 0).toBe(bytes.lastIndexOf(0x0a) + 1)
        },
      ),
    )
  })
})
