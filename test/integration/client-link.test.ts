/** What a client's link does when it is lost, cancelled, hung or left: real sockets, methods of the test's own. */
import { once } from 'node:events'
import { createServer, connect as dial } from 'node:net'
import { describe, expect, it } from 'vitest'
import { connect, type LinkState, open, type TrawlClient } from '../../gateway/client/node.ts'
import type { CallContext, RpcMethod, RpcMethods } from '../../protocol/rpc/dispatch.ts'
import { openTestDoors, withToken } from '../helpers/doors.ts'
import { createManualClock } from '../helpers/manual-clock.ts'

const token = withToken.authorization.slice('Bearer '.length)

/** `hosts.list` answers; `aiVault.searchSessions` tells one host and then waits until it is aborted. */
function createMethods() {
  let onHeld: (context: CallContext) => void = () => {}
  const held = new Promise<CallContext>((resolve) => {
    onHeld = resolve
  })
  const hold: RpcMethod = async (params, context) => {
    const { partialResultToken } = params as { partialResultToken?: string }
    const value = { executionHostId: 'local', outcome: 'results', durationMs: 3, hits: [] }
    if (partialResultToken !== undefined) context.notify('$/progress', { token: partialResultToken, value })
    onHeld(context)
    if (!context.signal.aborted) await once(context.signal, 'abort')
    return null
  }
  const methods: RpcMethods = new Map<string, RpcMethod>([
    ['hosts.list', () => ({ hosts: [] })],
    ['aiVault.searchSessions', hold],
  ])
  return { held, methodsFor: () => methods }
}

/** Settles with the next state of that kind. */
function nextState(trawl: TrawlClient, kind: LinkState['kind']): Promise<LinkState> {
  return new Promise((resolve) => {
    const stop = trawl.onState((state) => {
      if (state.kind !== kind) return
      stop()
      resolve(state)
    })
  })
}

describe('a link', () => {
  it('rejects what was out when it is lost, fails at once meanwhile, and is made again', async () => {
    const { held, methodsFor } = createMethods()
    const doorClock = createManualClock()
    const first = await openTestDoors(methodsFor, { clock: doorClock })
    const { port } = first
    // Waiting is up to the test: nothing is dialled again before its clock moves.
    const clock = createManualClock()
    await using trawl = await connect({ url: `ws://127.0.0.1:${port}`, token, clock })
    const out = trawl.search({ query: 'x' })
    out.catch(() => {})
    await held
    const lost = nextState(trawl, 'offline')
    const closing = first[Symbol.asyncDispose]()
    // So long a gateway that shuts down waits for what is out.
    doorClock.advance(5_000)
    await closing
    await expect(out).rejects.toMatchObject({ code: 'unreachable', details: { reason: 'offline' } })
    expect(await lost).toMatchObject({ kind: 'offline', error: { code: 'unreachable' } })
    await expect(trawl.hosts()).rejects.toMatchObject({ code: 'unreachable' })

    await using _second = await openTestDoors(methodsFor, { port })
    const ready = nextState(trawl, 'ready')
    const { state } = trawl
    clock.advance(state.kind === 'offline' ? (state.retryAtMs ?? 0) - clock.now() : 0)
    await ready
    expect(await trawl.hosts()).toEqual([])
  })

  it('is tried at once when somebody asks for it', async () => {
    const { methodsFor } = createMethods()
    const first = await openTestDoors(methodsFor)
    const { port } = first
    const clock = createManualClock()
    await using trawl = await connect({ url: `ws://127.0.0.1:${port}`, token, clock })
    const lost = nextState(trawl, 'offline')
    await first[Symbol.asyncDispose]()
    await lost
    await using _second = await openTestDoors(methodsFor, { port })
    const ready = nextState(trawl, 'ready')
    trawl.retryNow()
    await ready
  })

  it('is given up at the first loss where reconnecting is switched off', async () => {
    const { methodsFor } = createMethods()
    const doors = await openTestDoors(methodsFor)
    const trawl = await connect({ url: `ws://127.0.0.1:${doors.port}`, token, reconnect: false })
    await doors[Symbol.asyncDispose]()
    expect(await trawl.closed).toMatchObject({ why: 'offline', error: { code: 'unreachable' } })
  })

  it('is lost when two intervals pass unanswered', async () => {
    const { methodsFor } = createMethods()
    await using doors = await openTestDoors(methodsFor)
    // A wire that can be cut without a word to either end.
    const wire = createServer((near) => {
      const far = dial(doors.port, '127.0.0.1')
      near.on('data', (bytes) => isCut || far.write(bytes))
      far.on('data', (bytes) => isCut || near.write(bytes))
      for (const end of [near, far]) end.on('error', () => {})
      near.on('close', () => far.destroy())
    }).listen(0, '127.0.0.1')
    let isCut = false
    await once(wire, 'listening')
    const { port } = wire.address() as { port: number }
    const clock = createManualClock()
    const trawl = await connect({ url: `ws://127.0.0.1:${port}`, token, clock })
    isCut = true
    const lost = nextState(trawl, 'offline')
    clock.advance(15_000)
    expect(trawl.state.kind).toBe('ready')
    await clock.pass(15_000)
    await lost
    await trawl.close()
    wire.close()
    expect(clock.pending).toBe(0)
  })
})

describe('a call', () => {
  for (const scheme of ['ws', 'http']) {
    it(`over ${scheme} that is aborted ends on the gateway too`, async () => {
      const { held, methodsFor } = createMethods()
      await using doors = await openTestDoors(methodsFor)
      await using trawl = await connect({ url: `${scheme}://127.0.0.1:${doors.port}`, token })
      const leaving = new AbortController()
      const out = trawl.search({ query: 'x' }, { signal: leaving.signal })
      out.catch(() => {})
      const { signal } = await held
      leaving.abort()
      await expect(out).rejects.toMatchObject({ code: 'cancelled' })
      if (!signal.aborted) await once(signal, 'abort')
    })

    it(`over ${scheme} ends after its own time`, async () => {
      const { held, methodsFor } = createMethods()
      await using doors = await openTestDoors(methodsFor)
      const clock = createManualClock()
      await using trawl = await connect({ url: `${scheme}://127.0.0.1:${doors.port}`, token, clock })
      const out = trawl.search({ query: 'x' }, { timeoutMs: 1_000 })
      out.catch(() => {})
      await held
      clock.advance(1_000)
      await expect(out).rejects.toMatchObject({ code: 'timeout' })
    })
  }

  it('is cancelled by whoever stops reading its parts', async () => {
    const { held, methodsFor } = createMethods()
    await using doors = await openTestDoors(methodsFor)
    await using trawl = await connect({ url: `ws://127.0.0.1:${doors.port}`, token })
    for await (const part of trawl.partial({ query: 'x', executionHostId: 'all' })) {
      expect(part).toMatchObject({ kind: 'leg', leg: { executionHostId: 'local', outcome: 'results' } })
      break
    }
    const { signal } = await held
    if (!signal.aborted) await once(signal, 'abort')
  })

  it('waits for the first attempt, and fails with it', async () => {
    const { methodsFor } = createMethods()
    const doors = await openTestDoors(methodsFor)
    const { port } = doors
    await using early = open({ url: `ws://127.0.0.1:${port}`, token })
    expect(early.state.kind).toBe('connecting')
    expect(await early.hosts()).toEqual([])
    await early.close()
    await doors[Symbol.asyncDispose]()
    await using late = open({ url: `ws://127.0.0.1:${port}`, token })
    await expect(late.hosts()).rejects.toMatchObject({ code: 'unreachable', details: { reason: 'offline' } })
    expect(late.state.kind).toBe('offline')
  })
})

describe('connecting', () => {
  it.each(['ws://127.0.0.1:1', 'http://127.0.0.1:1'])('says that nobody is at %s', async (url) => {
    await expect(connect({ url, token })).rejects.toMatchObject({ code: 'unreachable' })
  })

  it.each(['ftp://127.0.0.1', 'nowhere', 'http://127.0.0.1:7717/?token=x', 'ws://me:secret@127.0.0.1:7717'])(
    'does not take %s for an address',
    async (url) => {
      await expect(connect({ url, token })).rejects.toMatchObject({ code: 'invalid_input' })
    },
  )
})
