import { appendFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openFold } from '../../test/helpers/fold-transcript.ts'
import {
  accessTo,
  anyStamp,
  createIndexingDesk,
  diskWith,
  fakeReader,
  type IndexingDesk,
  linesOf,
} from '../../test/helpers/indexing-desk.ts'
import type { FileBatch } from '../index/file-batch.ts'
import { unpackRows } from '../index/packed-rows.ts'
import { type TranscriptReader, UnknownFoldState } from '../transcripts/reader.ts'
import { nodeFileSystem } from './file-system.ts'
import type { ReadLimits, ReadRequest } from './read-request.ts'
import { readTranscript } from './read-transcript.ts'

let desk: IndexingDesk
beforeEach(() => {
  desk = createIndexingDesk()
})
afterEach(() => desk[Symbol.dispose]())

const reader = fakeReader()

function requestFor(path: string, resume: ReadRequest['resume'] = null): ReadRequest {
  const file = { root: { path: desk.root }, path, relativePath: path.slice(desk.root.length + 1) }
  return { file, found: anyStamp, expected: null, resume }
}

function read(request: ReadRequest, limits?: Partial<ReadLimits>): FileBatch[] {
  return Array.from(
    readTranscript(accessTo(), reader, request, { batchBytes: 1e6, sliceBytes: 64, ...limits }),
  )
}

const resumeAt = ({ byteOffset, tailHash, messageCount, fold }: FileBatch) => ({
  byteOffset,
  tailHash,
  messageCount,
  fold,
})

const texts = (batches: readonly FileBatch[]) =>
  batches.flatMap(({ rows }) => Array.from(unpackRows(rows), (row) => Buffer.from(row.text).toString()))

function only(batches: FileBatch[]): FileBatch {
  expect(batches).toHaveLength(1)
  const [batch] = batches
  if (batch === undefined) throw new Error('no batch')
  return batch
}

describe('readTranscript', () => {
  it('reads a file into one batch that says where it ended', () => {
    const content = linesOf({ say: 'one', session: 's1' }, { say: 'two' })
    const batch = only(read(requestFor(desk.write('sessions/a.jsonl', content))))
    expect(texts([batch])).toEqual(['one', 'two'])
    expect(batch).toMatchObject({
      mode: 'replace',
      complete: true,
      kind: 'session',
      messageCount: 2,
      byteOffset: content.length,
      stamp: { sizeBytes: content.length },
    })
    expect(batch.facts.sessionId).toBe('s1')
  })

  it('leaves a last line without its newline for the next read, which begins with it', () => {
    const whole = linesOf({ say: 'one' })
    const [head, tail] = ['{"say":"tw', 'o"}\n']
    const path = desk.write('sessions/a.jsonl', whole + head)
    const first = only(read(requestFor(path)))
    expect(texts([first])).toEqual(['one'])
    expect(first).toMatchObject({
      byteOffset: whole.length,
      stamp: { sizeBytes: whole.length + head.length },
    })
    appendFileSync(path, tail)
    const second = only(read(requestFor(path, resumeAt(first))))
    expect(texts([second])).toEqual(['two'])
    expect(second).toMatchObject({ mode: 'append', messageCount: 2 })
  })

  it('reads the whole file when the bytes before the offset are no longer the same', () => {
    const path = desk.write('sessions/a.jsonl', linesOf({ say: 'one' }, { say: 'two' }))
    const first = only(read(requestFor(path)))
    writeFileSync(path, linesOf({ say: 'ONE' }, { say: 'TWO' }, { say: 'three' }))
    const second = only(read(requestFor(path, resumeAt(first))))
    expect(second.mode).toBe('replace')
    expect(texts([second])).toEqual(['ONE', 'TWO', 'three'])
  })

  it('reads the whole file when it is shorter than what was read', () => {
    const path = desk.write('sessions/a.jsonl', linesOf({ say: 'one' }, { say: 'two' }))
    const first = only(read(requestFor(path)))
    writeFileSync(path, linesOf({ say: 'x' }))
    expect(only(read(requestFor(path, resumeAt(first)))).mode).toBe('replace')
  })

  it('reads the whole file when the saved fold is of another version', () => {
    const path = desk.write('sessions/a.jsonl', linesOf({ say: 'one' }))
    const first = only(read(requestFor(path)))
    const picky: TranscriptReader = {
      ...reader,
      formatOf: () => ({
        kind: 'lines',
        open: (file, _, saved) => {
          if (saved !== undefined) throw new UnknownFoldState('another version')
          return openFold(reader, file)
        },
      }),
    }
    const [batch] = readTranscript(accessTo(), picky, requestFor(path, resumeAt(first)))
    expect(batch?.mode).toBe('replace')
  })

  it('cuts a large file into batches, the later of which go on from the one before', () => {
    const path = desk.write(
      'sessions/a.jsonl',
      linesOf(...Array.from({ length: 10 }, (_, at) => ({ say: `message ${at}` }))),
    )
    const batches = read(requestFor(path), { batchBytes: 25 })
    expect(batches.length).toBeGreaterThan(2)
    expect(batches.map(({ mode }) => mode)).toEqual(['replace', ...batches.slice(1).map(() => 'append')])
    expect(batches.map(({ complete }) => complete)).toEqual([...batches.slice(1).map(() => false), true])
    expect(texts(batches)).toEqual(Array.from({ length: 10 }, (_, at) => `message ${at}`))
    for (const [at, batch] of batches.entries())
      if (!batch.complete) {
        const rest = read(requestFor(path, resumeAt(batch)))
        expect(texts([...batches.slice(0, at + 1), ...rest])).toHaveLength(10)
      }
  })

  it('gives the same messages and facts wherever a read breaks off and goes on', () => {
    const line = fc.record(
      { say: fc.string({ minLength: 1 }), session: fc.constantFrom('s1', 's2'), atMs: fc.nat() },
      { requiredKeys: ['say'] },
    )
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 12 }),
        fc.nat(),
        fc.integer({ min: 1, max: 90 }),
        (lines, cut, sliceBytes) => {
          const bytes = Buffer.from(linesOf(...lines))
          const path = desk.write('sessions/any.jsonl', bytes)
          const whole = only(read(requestFor(path), { sliceBytes }))
          writeFileSync(path, bytes.subarray(0, cut % (bytes.length + 1)))
          const first = only(read(requestFor(path), { sliceBytes }))
          writeFileSync(path, bytes)
          const second = only(read(requestFor(path, resumeAt(first)), { sliceBytes }))
          expect(texts([first, second])).toEqual(texts([whole]))
          expect(second.facts).toEqual(whole.facts)
          expect(resumeAt(second)).toEqual(resumeAt(whole))
        },
      ),
      { numRuns: 60 },
    )
  })

  it('reads to where the file ended when it was opened, though it grows meanwhile', () => {
    const path = desk.write('sessions/a.jsonl', linesOf({ say: 'one' }))
    const growing = diskWith({
      open: (asked) => {
        const open = nodeFileSystem.open(asked)
        return {
          ...open,
          read: (into, position) => {
            appendFileSync(path, linesOf({ say: 'late' }))
            return open.read(into, position)
          },
        }
      },
    })
    const batch = only(Array.from(readTranscript(accessTo(growing), reader, requestFor(path))))
    expect(texts([batch])).toEqual(['one'])
    expect(batch.byteOffset).toBe(batch.stamp.sizeBytes)
  })

  it('does not pile up the text of a file that is not to be searched', () => {
    const says = Array.from({ length: 20 }, (_, at) => ({ say: `message ${at}` }))
    const path = desk.write('sessions/a.jsonl', linesOf({ kind: 'none' }, ...says))
    const batch = only(read(requestFor(path), { batchBytes: 25 }))
    expect(batch.kind).toBe('none')
    expect(batch.rows.bytes.length).toBeLessThan(50)
  })

  it('fails a file that says only after a great deal of text that it is to be searched', () => {
    const says = Array.from({ length: 20 }, (_, at) => ({ say: `message ${at}` }))
    const path = desk.write('sessions/a.jsonl', linesOf({ kind: 'none' }, ...says, { kind: 'session' }))
    expect(() => read(requestFor(path), { batchBytes: 25 })).toThrow('named too late')
  })

  it('reads invalid UTF-8, NULs and an empty file without failing', () => {
    const bytes = Buffer.concat([
      Buffer.from('\0\0\0\n'),
      Buffer.from('{"say":"bro'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('ken"}\n{"say":"fine"}\n'),
    ])
    const batch = only(read(requestFor(desk.write('sessions/a.jsonl', bytes))))
    expect(texts([batch])).toEqual(['bro\ufffd\ufffdken', 'fine'])
    expect(batch.unread.badLines).toBe(1)
    expect(only(read(requestFor(desk.write('sessions/empty.jsonl', ''))))).toMatchObject({ byteOffset: 0 })
  })

  it('closes the file when the reader throws, and when the iteration is left', () => {
    const path = desk.write('sessions/a.jsonl', linesOf({ say: 'one' }, { crash: true }))
    let closed = 0
    const counting = diskWith({
      open: (asked) => {
        const open = nodeFileSystem.open(asked)
        return {
          ...open,
          close: () => {
            closed++
            open.close()
          },
        }
      },
    })
    expect(() => Array.from(readTranscript(accessTo(counting), reader, requestFor(path)))).toThrow(
      'the reader has a bug',
    )
    for (const _ of readTranscript(
      accessTo(counting),
      reader,
      requestFor(desk.write('sessions/b.jsonl', '')),
    ))
      break
    expect(closed).toBe(2)
  })
})
