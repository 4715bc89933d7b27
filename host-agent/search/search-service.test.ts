import { describe, expect, it, vi } from 'vitest'
import { type SearchRequestInput, searchRequestSchema } from '../../protocol/session-search/request.ts'
import { absentServiceStatus } from '../../protocol/session-search/status.ts'
import { createManualClock } from '../../test/helpers/manual-clock.ts'
import { createIndexFixture } from './index-fixture.ts'
import { createSessionSearchService } from './search-service.ts'

function setUp(reconcile: () => Promise<unknown>) {
  const index = createIndexFixture([{ sessionId: 'a', messages: ['needle'] }])
  const clock = createManualClock()
  const status = { ...absentServiceStatus, enabled: true, phase: 'current' as const }
  const indexing = { reconcile: vi.fn(reconcile), status: () => status }
  const service = createSessionSearchService({ index: index.db, indexing, clock, platform: 'linux' })
  const search = (fields: Partial<SearchRequestInput> = {}, signal = new AbortController().signal) =>
    service.search(searchRequestSchema.parse({ query: 'needle', ...fields }), { signal })
  return { index, clock, indexing, service, search, status, [Symbol.dispose]: () => index[Symbol.dispose]() }
}

const never = () => new Promise<never>(() => {})
const waiting = { freshness: 'wait-until-current' } as const

describe('createSessionSearchService', () => {
  it('[request.freshness] asks for no reconciliation unless told to wait', async () => {
    using host = setUp(never)
    for (const fields of [{}, { freshness: 'indexed' as const }]) {
      expect(await host.search(fields)).toMatchObject({ kind: 'results', truncated: { freshness: false } })
    }
    expect(host.indexing.reconcile).not.toHaveBeenCalled()
  })

  it('[freshness.wait][freshness.in-time] reconciles, then searches what was found', async () => {
    using host = setUp(async () => {
      host.index.add({ sessionId: 'fresh', messages: ['needle'] })
    })
    const answer = await host.search(waiting)
    expect(host.indexing.reconcile).toHaveBeenCalledWith({ full: false })
    expect(answer).toMatchObject({ kind: 'results', truncated: { freshness: false } })
    expect(answer.kind === 'results' && answer.hits.map((hit) => hit.sessionId).sort()).toEqual([
      'a',
      'fresh',
    ])
    expect(host.clock.pending).toBe(0)
  })

  it('[freshness.five-seconds][response.duration] searches after five seconds, cancels nothing, counts no wait, leaves no timer', async () => {
    let finish: (() => void) | undefined
    let finished = false
    using host = setUp(async () => {
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      finished = true
    })
    let answered = false
    const answer = host.search(waiting).finally(() => {
      answered = true
    })
    await host.clock.pass(4999)
    expect(answered).toBe(false)
    await host.clock.pass(1)
    expect(await answer).toMatchObject({ kind: 'results', truncated: { freshness: true }, durationMs: 0 })
    expect(host.clock.pending).toBe(0)
    finish?.()
    await host.clock.pass(0)
    expect(finished).toBe(true)
  })

  it('[response.duration] counts no wait that ended in time either', async () => {
    using host = setUp(async () => host.clock.advance(3000))
    expect(await host.search(waiting)).toMatchObject({
      kind: 'results',
      durationMs: 0,
      truncated: { freshness: false },
    })
  })

  it('[freshness.error-propagates] answers with an early error and swallows a late one', async () => {
    using early = setUp(async () => {
      throw new Error('cannot list')
    })
    await expect(early.search(waiting)).rejects.toThrow('cannot list')
    expect(early.clock.pending).toBe(0)

    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    let fail: ((error: Error) => void) | undefined
    using late = setUp(() => new Promise((_, reject) => (fail = reject)))
    const answer = late.search(waiting)
    await late.clock.pass(5000)
    fail?.(new Error('too late'))
    expect(await answer).toMatchObject({ kind: 'results', truncated: { freshness: true } })
    await late.clock.pass(0)
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('ends the wait when the caller leaves, and leaves no timer', async () => {
    using host = setUp(never)
    const leaving = new AbortController()
    const answer = host.search(waiting, leaving.signal)
    leaving.abort()
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' })
    expect(host.clock.pending).toBe(0)
  })

  it('waits no longer than the caller does', async () => {
    using host = setUp(never)
    const answer = host.search({ ...waiting, deadlineMs: 2000 })
    await host.clock.pass(1500)
    expect(await answer).toMatchObject({ kind: 'results', truncated: { freshness: true } })
  })

  it('reports the indexer’s status', () => {
    using host = setUp(never)
    expect(host.service.status()).toBe(host.status)
  })
})
