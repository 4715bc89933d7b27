import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  accessTo,
  anyStamp,
  createIndexingDesk,
  fakeReader,
  type IndexingDesk,
  linesOf,
} from '../../test/helpers/indexing-desk.ts'
import { unpackRows } from '../index/packed-rows.ts'
import { createThreadedSource, type ReadingThread, serveReading } from './reading-thread.ts'
import { type ReadItem, type ReadJob, type ReadStep, readJob } from './transcript-source.ts'

let desk: IndexingDesk
beforeEach(() => {
  desk = createIndexingDesk()
})
afterEach(() => desk[Symbol.dispose]())

interface StagedThreads {
  start(): ReadingThread
  readonly started: number
  readonly running: number
  /** Steps posted by a thread, over all. */
  readonly posted: number
}

/** Threads without threads: messages are cloned and come in a later turn, as between real ones. */
function stageThreads(deadlyFile: string | null = null, batchBytes = 1e6): StagedThreads {
  const state = { started: 0, running: 0, posted: 0 }
  return {
    start() {
      state.started++
      state.running++
      const outer = new EventEmitter()
      const inner = new EventEmitter()
      let isAlive = true
      const post = (to: EventEmitter, message: unknown, transfer: readonly ArrayBuffer[] = []) => {
        const copy = structuredClone(message, { transfer: [...transfer] })
        if (isAlive) setImmediate(() => to.emit('message', copy))
      }
      serveReading(
        {
          postMessage(message, transfer) {
            state.posted++
            post(outer, message, transfer)
          },
          on: (event, listener) => inner.on(event, listener),
        },
        (job) => {
          if (deadlyFile !== null && job.file.path.endsWith(deadlyFile)) {
            setImmediate(() => outer.emit('error', new Error('out of memory')))
            isAlive = false
            return []
          }
          return readJob(accessTo(), [fakeReader()], job, { batchBytes, sliceBytes: 64 })
        },
      )
      return {
        postMessage: (message: unknown) => post(inner, message),
        on: (event: string, listener: (value: unknown) => void) => outer.on(event, listener),
        async terminate() {
          if (isAlive) isAlive = false
          state.running--
        },
      } as ReadingThread
    },
    get started() {
      return state.started
    },
    get running() {
      return state.running
    },
    get posted() {
      return state.posted
    },
  }
}

function jobFor(name: string, ...says: string[]): ReadJob {
  const path = desk.write(`sessions/${name}`, linesOf(...says.map((say) => ({ say }))))
  return {
    agent: 'fake',
    file: { root: { path: desk.root }, path, relativePath: name },
    found: { ...anyStamp, sizeBytes: 8 * 1024 * 1024 },
    expected: null,
    resume: null,
  }
}

function summary(item: ReadItem<ReadJob>): string {
  const name = item.job.file.relativePath
  if ('failure' in item) return `${name} failed: ${item.failure}`
  const texts = Array.from(unpackRows(item.batch.rows), (row) => Buffer.from(row.text).toString())
  return `${name}: ${texts.join(', ')}${item.last ? '.' : ''}`
}

async function readAll(threads: StagedThreads, jobs: ReadJob[]): Promise<string[]> {
  await using source = createThreadedSource(() => threads.start())
  const seen: string[] = []
  for await (const item of source.readAll(jobs.values())) seen.push(summary(item))
  return seen
}

describe('createThreadedSource', () => {
  it('gives every job’s batches in the order of the jobs, and ends its thread', async () => {
    const threads = stageThreads()
    const jobs = Array.from({ length: 12 }, (_, at) => jobFor(`${at}.jsonl`, `say ${at}`))
    expect(await readAll(threads, jobs)).toEqual(jobs.map((_, at) => `${at}.jsonl: say ${at}.`))
    expect(threads).toMatchObject({ started: 1, running: 0 })
  })

  it('gives nothing for no jobs', async () => {
    expect(await readAll(stageThreads(), [])).toEqual([])
  })

  it('asks for one batch after the other of a large file', async () => {
    const threads = stageThreads(null, 8)
    const jobs = [jobFor('big.jsonl', 'message 1', 'message 2', 'message 3'), jobFor('next.jsonl', 'x')]
    await using source = createThreadedSource(() => threads.start())
    const seen: string[] = []
    for await (const item of source.readAll(jobs.values())) {
      seen.push(summary(item))
      // At most the one batch that was asked for while this one is being written.
      if (seen.length === 1) expect(threads.posted).toBeLessThanOrEqual(2)
    }
    expect(seen).toEqual([
      'big.jsonl: message 1',
      'big.jsonl: message 2',
      'big.jsonl: message 3',
      'big.jsonl: .',
      'next.jsonl: x.',
    ])
  })

  it('carries a file’s failure and goes on', async () => {
    const missing = jobFor('gone.jsonl')
    const jobs = [
      { ...missing, file: { ...missing.file, path: `${desk.root}/nowhere` } },
      jobFor('a.jsonl', 'x'),
    ]
    const [first, second] = await readAll(stageThreads(), jobs)
    expect(first).toContain('gone.jsonl failed: ENOENT')
    expect(second).toBe('a.jsonl: x.')
  })

  it('fails the file that ended the thread, and reads the others in a new one', async () => {
    const threads = stageThreads('deadly.jsonl')
    const jobs = [
      jobFor('a.jsonl', 'a'),
      jobFor('deadly.jsonl', 'x'),
      jobFor('b.jsonl', 'b'),
      jobFor('c.jsonl', 'c'),
    ]
    expect(await readAll(threads, jobs)).toEqual([
      'a.jsonl: a.',
      'deadly.jsonl failed: reading it ended the reading thread',
      'b.jsonl: b.',
      'c.jsonl: c.',
    ])
    expect(threads).toMatchObject({ started: 2, running: 0 })
  })

  it('takes few jobs ahead, and ends its thread when it is left early', async () => {
    const threads = stageThreads()
    let taken = 0
    function* jobs(): Generator<ReadJob> {
      for (; taken < 50; taken++) yield jobFor(`${taken}.jsonl`, 'x')
    }
    await using source = createThreadedSource(() => threads.start())
    for await (const _ of source.readAll(jobs())) break
    expect(taken).toBeLessThan(10)
    expect(threads.running).toBe(0)
  })
})

describe('serveReading', () => {
  it('lets go of each file as soon as its last step has gone', () => {
    let open = 0
    function* reading(): Generator<ReadStep> {
      open++
      try {
        yield { failure: 'enough', last: true }
      } finally {
        open--
      }
    }
    const port = new EventEmitter()
    serveReading({ postMessage: () => undefined, on: (event, listen) => port.on(event, listen) }, reading)
    for (let at = 0; at < 3; at++) {
      port.emit('message', { kind: 'job', job: jobFor(`${at}.jsonl`, 'x') })
      expect(open).toBe(0)
    }
  })
})
