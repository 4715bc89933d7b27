import { describe, expect, it } from 'vitest'
import { type CallContext, createDispatcher, type RpcMethods } from './dispatch.ts'
import { TrawlError } from './errors.ts'
import { maxBatchCalls, maxNestingDepth } from './message-bounds.ts'

const newContext = (): CallContext => ({ signal: new AbortController().signal, notify: () => {} })
const context = newContext()

function dispatcher(methods: RpcMethods = new Map([['echo', (params) => params ?? 'nothing']])) {
  const { dispatch } = createDispatcher({ methods, maxMessageBytes: 10_000, createId: () => 'id' })
  return async (text: string): Promise<unknown> => {
    const answer = await dispatch(text, context)
    return answer === null ? null : JSON.parse(answer)
  }
}

const invalid = (id: unknown = null) => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32600, message: 'Invalid Request' },
})

describe('createDispatcher', () => {
  it('answers an invalid request that has no id, and a batch of one invalid member with an array', async () => {
    const ask = dispatcher()
    expect(await ask('{"foo":"boo"}')).toEqual(invalid())
    expect(await ask('[1]')).toEqual([invalid()])
    expect(await ask('"text"')).toEqual(invalid())
  })

  it.each(['true', '{}', '[]', '1e400', '{"a":1}'])('refuses the id %s', async (id) => {
    expect(await dispatcher()(`{"jsonrpc":"2.0","method":"echo","id":${id}}`)).toEqual(invalid())
  })

  it.each([[0], [''], ['x'], [-1.5], [null]])(
    'treats the id %j as an id, not as a notification',
    async (id) => {
      expect(await dispatcher()(JSON.stringify({ jsonrpc: '2.0', method: 'echo', id }))).toEqual({
        jsonrpc: '2.0',
        id,
        result: 'nothing',
      })
    },
  )

  it('refuses text for params, and answers both of two calls with one id', async () => {
    const ask = dispatcher()
    expect(await ask('{"jsonrpc":"2.0","method":"echo","params":"bar","id":1}')).toEqual(invalid(1))
    const call = '{"jsonrpc":"2.0","method":"echo","id":5}'
    expect(await ask(`[${call},${call}]`)).toHaveLength(2)
  })

  it('does not take __proto__ or toString for methods', async () => {
    for (const method of ['__proto__', 'toString', 'constructor', 'rpc.x']) {
      expect(await dispatcher()(JSON.stringify({ jsonrpc: '2.0', method, id: 1 }))).toMatchObject({
        error: { code: -32601 },
      })
    }
  })

  it('refuses a batch over the limit and a depth bomb, and answers one below', async () => {
    const ask = dispatcher()
    const batch = (count: number) =>
      JSON.stringify(Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', method: 'echo', id })))
    expect(await ask(batch(maxBatchCalls + 1))).toEqual(invalid())
    expect(await ask(batch(maxBatchCalls))).toHaveLength(maxBatchCalls)
    const nested = (depth: number) =>
      `{"jsonrpc":"2.0","method":"echo","id":1,"params":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expect(await ask(nested(maxNestingDepth + 1))).toEqual(invalid())
    expect(await ask(nested(100_000))).toEqual(invalid())
    expect(await ask(nested(maxNestingDepth - 2))).toHaveProperty('result')
  })

  it('keeps of a batch what fits into one message, and fails the calls that do not', async () => {
    const ask = dispatcher(new Map([['large', () => 'x'.repeat(4_000)]]))
    const batch = Array.from({ length: 5 }, (_, id) => ({ jsonrpc: '2.0', method: 'large', id }))
    expect(await ask(JSON.stringify(batch))).toMatchObject([
      { id: 0, result: {} },
      { id: 1, result: {} },
      ...[2, 3, 4].map((id) => ({ id, error: { code: -32008, data: { code: 'response_too_large' } } })),
    ])
  })

  it('keeps a slow call from holding up nothing but its own batch', async () => {
    let release: () => void = () => {}
    const slow = new Promise<void>((resolve) => {
      release = resolve
    })
    const ask = dispatcher(
      new Map<string, () => unknown>([
        [
          'slow',
          async () => {
            await slow
            return 'slow'
          },
        ],
        ['fast', () => 'fast'],
      ]),
    )
    const both = ask('[{"jsonrpc":"2.0","method":"slow","id":1},{"jsonrpc":"2.0","method":"fast","id":2}]')
    expect(await ask('{"jsonrpc":"2.0","method":"fast","id":3}')).toMatchObject({ result: 'fast' })
    release()
    expect(await both).toEqual([
      { jsonrpc: '2.0', id: 1, result: 'slow' },
      { jsonrpc: '2.0', id: 2, result: 'fast' },
    ])
  })

  const one = '{"jsonrpc":"2.0","method":"echo","id":1}'
  it.each([
    ['no JSON', '{', 1],
    [
      'a depth bomb',
      `{"jsonrpc":"2.0","id":1,"method":"echo","params":${'['.repeat(200)}${']'.repeat(200)}}`,
      1,
    ],
    ['an empty batch', '[]', 1],
    ['a batch over the limit', `[${Array.from({ length: 101 }, () => one).join(',')}]`, 1],
    ['no object', '1', 1],
    ['a batch of no objects', '[1,2,3]', 3],
    ['an unknown method', '{"jsonrpc":"2.0","method":"nowhere","id":1}', 1],
    ['a ping', '{"jsonrpc":"2.0","method":"$/ping","id":1}', 1],
    ['calls', `[${one},${one}]`, 2],
    ['a notification of nothing', '{"jsonrpc":"2.0","method":"nowhere"}', 1],
    ['the end of a call that is none', '{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}', 1],
  ])('weighs %s, member by member, and looks at nothing that is refused', async (_what, text, cost) => {
    let left = cost
    let called = 0
    const { dispatch } = createDispatcher({
      methods: new Map([['echo', () => ++called]]),
      maxMessageBytes: 10_000,
      createId: () => 'id',
      admit: () => (left-- > 0 ? null : new TrawlError('rate_limited', undefined, { retryAfterSec: 1 })),
    })
    const granted = await dispatch(text, newContext())
    expect(left).toBe(0)
    expect(granted ?? '').not.toContain('-32029')
    called = 0
    const refused = await dispatch(text, newContext())
    expect(called).toBe(0)
    // What is not answered when it is granted is not answered when it is refused.
    if (granted === null) expect(refused).toBeNull()
    else for (const answer of [JSON.parse(refused ?? '')].flat()) expect(answer.error.code).toBe(-32029)
  })

  it('lets a call be cancelled that was paid for, once', async () => {
    let paid = 0
    const { dispatch } = createDispatcher({
      methods: new Map([['wait', async () => await new Promise(() => {})]]),
      maxMessageBytes: 10_000,
      createId: () => 'id',
      admit: () => (++paid > 1 ? new TrawlError('rate_limited') : null),
    })
    const waiting = dispatch('{"jsonrpc":"2.0","method":"wait","id":7}', context)
    const cancel = '{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}'
    await Promise.all([dispatch(cancel, context), dispatch(cancel, context)])
    expect(JSON.parse((await waiting) ?? '')).toMatchObject({ id: 7, error: { code: -32800 } })
    expect(paid).toBe(2)
  })

  it('survives a lone surrogate and a null-prototype of members', async () => {
    expect(
      await dispatcher()('{"jsonrpc":"2.0","method":"echo","id":1,"params":{"__proto__":1,"q":"\\ud800"}}'),
    ).toMatchObject({ id: 1 })
    expect(Object.prototype).not.toHaveProperty('q')
  })
})
