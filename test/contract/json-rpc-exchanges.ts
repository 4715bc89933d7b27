/**
 * The 15 exchanges that section 7 of the JSON-RPC 2.0 specification prints, for every carrier. `send` is the text as
 * printed; `expect` is the answer, null where nothing may come back.
 */
import type { RpcMethod, RpcMethods } from '../../protocol/rpc/dispatch.ts'

export interface JsonRpcExchange {
  readonly name: string
  readonly send: string
  readonly expect: unknown
}

const invalid = { jsonrpc: '2.0', error: { code: -32600, message: 'Invalid Request' }, id: null }
const unparseable = { jsonrpc: '2.0', error: { code: -32700, message: 'Parse error' }, id: null }
const result = (value: unknown, id: unknown) => ({ jsonrpc: '2.0', result: value, id })

export const jsonRpcExchanges: readonly JsonRpcExchange[] = [
  {
    name: 'positional parameters',
    send: '{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}',
    expect: result(19, 1),
  },
  {
    name: 'positional parameters, the other way round',
    send: '{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}',
    expect: result(-19, 2),
  },
  {
    name: 'named parameters',
    send: '{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}',
    expect: result(19, 3),
  },
  {
    name: 'named parameters, the other way round',
    send: '{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}',
    expect: result(19, 4),
  },
  {
    name: 'a notification',
    send: '{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}',
    expect: null,
  },
  {
    name: 'a notification of a method that is not there',
    send: '{"jsonrpc": "2.0", "method": "foobar"}',
    expect: null,
  },
  {
    name: 'a method that is not there',
    send: '{"jsonrpc": "2.0", "method": "foobar", "id": "1"}',
    expect: { jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' }, id: '1' },
  },
  {
    name: 'invalid JSON',
    send: '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]',
    expect: unparseable,
  },
  {
    name: 'an invalid request object',
    send: '{"jsonrpc": "2.0", "method": 1, "params": "bar"}',
    expect: invalid,
  },
  {
    name: 'a batch of invalid JSON',
    send: `[
  {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
  {"jsonrpc": "2.0", "method"
]`,
    expect: unparseable,
  },
  { name: 'an empty batch', send: '[]', expect: invalid },
  { name: 'a batch that is not empty, of one invalid member', send: '[1]', expect: [invalid] },
  { name: 'a batch of invalid members', send: '[1,2,3]', expect: [invalid, invalid, invalid] },
  {
    name: 'a batch of everything',
    send: `[
        {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
        {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
        {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
        {"foo": "boo"},
        {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
        {"jsonrpc": "2.0", "method": "get_data", "id": "9"}
    ]`,
    expect: [
      result(7, '1'),
      result(19, '2'),
      invalid,
      { jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' }, id: '5' },
      result(['hello', 5], '9'),
    ],
  },
  {
    name: 'a batch of notifications alone',
    send: `[
        {"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},
        {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}
    ]`,
    expect: null,
  },
]

/** The methods the exchanges call; `foobar` and `foo.get` are not there on purpose. */
export const jsonRpcExchangeMethods: RpcMethods = new Map<string, RpcMethod>([
  [
    'subtract',
    (params) => {
      if (Array.isArray(params)) return Number(params[0]) - Number(params[1])
      const named = params as { minuend: number; subtrahend: number }
      return named.minuend - named.subtrahend
    },
  ],
  ['sum', (params) => (params as number[]).reduce((total, each) => total + each, 0)],
  ['get_data', () => ['hello', 5]],
  ['update', () => 'never sent'],
  ['notify_hello', () => 'never sent'],
  ['notify_sum', () => 'never sent'],
])
