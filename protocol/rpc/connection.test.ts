import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../test/helpers/manual-clock.ts'
import { openConnection, type RpcConnection } from './connection.ts'
import type { RpcMethods } from './dispatch.ts'
import { TrawlError } from './errors.ts'
import { createInMemoryChannelPair } from './in-memory-channel.ts'
import type { MessageChannel } from './message-channel.ts'

const createId = () => 'trace-1'
const maxMessageBytes = 4096

function connect(
  methods: RpcMethods,
  options: { onNotification?: (method: string, params: unknown) => void } = {},
) {
  const [near, far] = createInMemoryChannelPair()
  const clock = createManualClock()
  const client = openConnection(near, { methods: new Map(), maxMessageBytes, createId, clock, ...options })
  const server = openConnection(far, { methods, maxMessageBytes, createId, clock })
  return { client, server, near, far, clock }
}

/** The far end under the test's own hand: what it got, and a way to say anything. */
function connectRaw(): {
  client: RpcConnection
  far: MessageChannel
  got: string[]
  clock: ReturnType<typeof createManualClock>
} {
  const [near, far] = createInMemoryChannelPair()
  const got: string[] = []
  const clock = createManualClock()
  far.start({ message: (text) => got.push(text), oversize: () => {}, closed: () => {} })
  return {
    client: openConnection(near, { methods: new Map(), maxMessageBytes, createId, clock }),
    far,
    got,
    clock,
  }
}

describe('openConnection', () => {
  it('calls the other side and gets its answer, both ways at once', async () => {
    const { client, server } = connect(
      new Map([['add', (params) => (params as { a: number; b: number }).a + (params as { b: number }).b]]),
    )
    await expect(client.call('add', { a: 1, b: 2 }, { timeoutMs: 1000 })).resolves.toBe(3)
    await expect(server.call('add', {}, { timeoutMs: 1000 })).rejects.toMatchObject({
      code: 'method_not_found',
    })
  })

  it('carries an error of the table with its details, and never the text of any other', async () => {
    const { client } = connect(
      new Map<string, () => never>([
        [
          'refuse',
          () => {
            throw new TrawlError('unreachable', 'ssh:x is down', { reason: 'offline' })
          },
        ],
        [
          'leak',
          () => {
            throw new Error('ENOENT /home/dev/secret')
          },
        ],
      ]),
    )
    await expect(client.call('refuse', {}, { timeoutMs: 1000 })).rejects.toMatchObject({
      code: 'unreachable',
      details: { reason: 'offline' },
    })
    const leaked = await client
      .call('leak', {}, { timeoutMs: 1000 })
      .catch((error: unknown) => error as TrawlError)
    expect(leaked).toMatchObject({
      code: 'internal',
      message: 'Internal error',
      details: { correlationId: 'trace-1' },
    })
    expect(JSON.stringify(leaked)).not.toContain('secret')
  })

  it('ends a call at its time, tells the other side, and ignores the late answer', async () => {
    const { client, far, got, clock } = connectRaw()
    const call = client.call('slow', {}, { timeoutMs: 500 }).catch((error: TrawlError) => error.code)
    await clock.pass(499)
    expect(got).toHaveLength(1)
    await clock.pass(1)
    await expect(call).resolves.toBe('timeout')
    await clock.pass(0)
    expect(JSON.parse(got[1] ?? '')).toEqual({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 1 } })
    await far.send('{"jsonrpc":"2.0","id":1,"result":"late"}')
    await far.send('{"jsonrpc":"2.0","id":99,"result":"never asked"}')
    await clock.pass(0)
    expect(clock.pending).toBe(0)
  })

  it('cancels at the caller, at the other side, and in the handler', async () => {
    const aborted: boolean[] = []
    const { client, clock } = connect(
      new Map([
        [
          'wait',
          (_params, { signal }) =>
            new Promise((resolve) =>
              signal.addEventListener('abort', () => {
                aborted.push(true)
                resolve(null)
              }),
            ),
        ],
      ]),
    )
    const leave = new AbortController()
    const call = client
      .call('wait', {}, { timeoutMs: 1000, signal: leave.signal })
      .catch((error: TrawlError) => error.code)
    await clock.pass(0)
    leave.abort()
    await expect(call).resolves.toBe('cancelled')
    await clock.pass(0)
    expect(aborted).toEqual([true])
  })

  it('answers a cancelled call with -32800', async () => {
    const { far, near } = connect(new Map([['wait', () => new Promise(() => {})]]))
    const got: string[] = []
    const [a, b] = createInMemoryChannelPair()
    openConnection(b, {
      methods: new Map([['wait', () => new Promise(() => {})]]),
      maxMessageBytes,
      createId,
    })
    const answered = new Promise<void>((resolve) =>
      a.start({
        message: (text) => {
          got.push(text)
          resolve()
        },
        oversize: () => {},
        closed: () => {},
      }),
    )
    await a.send('{"jsonrpc":"2.0","id":"x","method":"wait"}')
    await a.send('{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"x"}}')
    await answered
    expect(JSON.parse(got[0] ?? '')).toMatchObject({ id: 'x', error: { code: -32800 } })
    await Promise.all([far.close(), near.close()])
  })

  it('fails what is waiting when the link ends, and every call after it at once', async () => {
    const { client, far } = connectRaw()
    const waiting = client.call('slow', {}, { timeoutMs: 60_000 }).catch((error: TrawlError) => error)
    await far.close()
    await expect(waiting).resolves.toMatchObject({ code: 'unreachable', details: { reason: 'offline' } })
    await expect(client.call('more', {}, { timeoutMs: 60_000 })).rejects.toMatchObject({
      code: 'unreachable',
    })
  })

  it('takes an answer twice, one with a wrong id, and garbage, without harm', async () => {
    const { client, far, clock } = connectRaw()
    const call = client.call('ask', {}, { timeoutMs: 1000 })
    await clock.pass(0)
    for (const text of [
      'garbage',
      '{}',
      '[]',
      '[1]',
      'null',
      '{"id":1}',
      '{"jsonrpc":"2.0","id":7,"result":1}',
    ])
      await far.send(text)
    await far.send('{"jsonrpc":"2.0","id":1,"result":"first"}')
    await far.send('{"jsonrpc":"2.0","id":1,"result":"second"}')
    await expect(call).resolves.toBe('first')
  })

  it('fails only the call whose answer is too large, on the side that makes it', async () => {
    const { client } = connect(
      new Map([
        ['big', () => 'x'.repeat(5000)],
        ['small', () => 'ok'],
      ]),
    )
    await expect(client.call('big', {}, { timeoutMs: 1000 })).rejects.toMatchObject({
      code: 'response_too_large',
    })
    await expect(client.call('small', {}, { timeoutMs: 1000 })).resolves.toBe('ok')
  })

  it('fails only the call whose oversize answer the channel dropped, found by the head of it', async () => {
    const handlers: { oversize?: (head: string) => void } = {}
    const channel: MessageChannel = {
      start: (given) => {
        handlers.oversize = given.oversize
      },
      send: async () => {},
      close: async () => {},
      [Symbol.asyncDispose]: async () => {},
    }
    const client = openConnection(channel, { methods: new Map(), maxMessageBytes, createId })
    const first = client.call('a', {}, { timeoutMs: 1000 }).catch((error: TrawlError) => error.code)
    const second = client.call('b', {}, { timeoutMs: 10 }).catch((error: TrawlError) => error.code)
    handlers.oversize?.('{"jsonrpc":"2.0","id":1,"result":{"hits":[{"id": 2')
    await expect(first).resolves.toBe('response_too_large')
    await expect(second).resolves.toBe('timeout')
  })

  it('passes progress on while a call runs', async () => {
    const seen: unknown[] = []
    const { client } = connect(
      new Map([
        [
          'work',
          (_params, { notify }) => {
            notify('$/progress', { token: 't', value: 1 })
            return 'done'
          },
        ],
      ]),
      { onNotification: (method, params) => seen.push([method, params]) },
    )
    await expect(client.call('work', {}, { timeoutMs: 1000 })).resolves.toBe('done')
    expect(seen).toEqual([['$/progress', { token: 't', value: 1 }]])
  })
})
