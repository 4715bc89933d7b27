import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { searchRequestSchema } from '../../protocol/session-search/request.ts'
import { createManualClock } from '../../test/helpers/manual-clock.ts'
import { createSessionSearchRegistry } from '../search/search-registry.ts'
import type { OpenAgent } from './open-agent.ts'
import { disableSearch, enableSearch, isSearchDisabled, openSwitchedAgent } from './search-switch.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'trawl-switch-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const request = searchRequestSchema.parse({ query: 'x' })
const call = { signal: new AbortController().signal }

function switched() {
  const clock = createManualClock()
  let opened = 0
  let closed = 0
  const open = (): OpenAgent => {
    opened++
    return {
      sessionSearch: createSessionSearchRegistry(),
      indexer: {} as OpenAgent['indexer'],
      ready: Promise.resolve(),
      [Symbol.asyncDispose]: async () => {
        closed++
      },
    }
  }
  const agent = openSwitchedAgent({ dataDir, clock, open })
  const ask = async () => {
    const answer = await agent.sessionSearch.search(request, call)
    return answer.kind === 'unavailable' ? answer.reason : answer.kind
  }
  return { clock, agent, ask, counts: () => ({ opened, closed }) }
}

describe('openSwitchedAgent', () => {
  it('[availability.value] answers disabled for every method, and opens no index, on a disabled account', async () => {
    await disableSearch(dataDir, 0)
    expect(isSearchDisabled(dataDir)).toBe(true)
    const { agent, ask, counts } = switched()
    expect(await ask()).toBe('disabled')
    const session = { agent: 'claude', sessionId: 's', limit: 1 }
    expect(agent.sessionSearch.readSession(session)).toEqual({ kind: 'unavailable', reason: 'disabled' })
    expect((await agent.sessionSearch.status()).enabled).toBe(false)
    expect(counts().opened).toBe(0)
    await agent[Symbol.asyncDispose]()
  })

  it('is switched by the next question, while it runs, and closes what it does not need', async () => {
    const { agent, ask, counts } = switched()
    expect(await ask()).toBe('no-service')
    await disableSearch(dataDir, 0)
    expect(await ask()).toBe('disabled')
    expect(counts()).toEqual({ opened: 1, closed: 1 })
    await enableSearch(dataDir)
    expect(await ask()).toBe('no-service')
    expect(counts()).toEqual({ opened: 2, closed: 1 })
    await agent[Symbol.asyncDispose]()
    expect(counts()).toEqual({ opened: 2, closed: 2 })
  })

  it('stops indexing within a second though nobody asks, and leaves no timer behind', async () => {
    const { clock, agent, counts } = switched()
    await disableSearch(dataDir, 0)
    await clock.pass(1_000)
    expect(counts().closed).toBe(1)
    await agent[Symbol.asyncDispose]()
    expect(clock.pending).toBe(0)
  })
})
