/**
 * An agent that answers what it is told to: the far side of the contract's vectors on every carrier, and the
 * misbehaving peer of the fault tests. As a program it serves its stdio; in a test it is a method table.
 */
import { pathToFileURL } from 'node:url'
import { serveStdio } from '../../host-agent/serve/stdio.ts'
import type { RpcMethod, RpcMethods } from '../../protocol/rpc/dispatch.ts'
import { jsonRpcExchangeMethods } from '../contract/json-rpc-exchanges.ts'

/** What the next searches answer. */
export type ScriptedAnswer =
  | { readonly kind: 'answer'; readonly value: unknown }
  /** The agent dies when it is asked. */
  | { readonly kind: 'die' }
  /** Never answers. */
  | { readonly kind: 'silence' }

export interface ScriptedState {
  search: ScriptedAnswer
  status: ScriptedAnswer
  /** The params of every search so far. */
  asked: unknown[]
  /** How many searches were cancelled from the other side. */
  cancelled: number
}

export function scriptedMethods(die: () => void): RpcMethods {
  const state: ScriptedState = {
    search: { kind: 'answer', value: { kind: 'unavailable', reason: 'not-ready' } },
    status: { kind: 'answer', value: null },
    asked: [],
    cancelled: 0,
  }
  const play = (answer: ScriptedAnswer, signal: AbortSignal): unknown => {
    if (answer.kind === 'answer') return answer.value
    if (answer.kind === 'die') die()
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        state.cancelled++
        reject(new Error('cancelled'))
      })
    })
  }
  return new Map<string, RpcMethod>([
    ...jsonRpcExchangeMethods,
    ['script', (params) => Object.assign(state, { asked: [], cancelled: 0 }, params)],
    ['scripted', () => ({ asked: state.asked, cancelled: state.cancelled })],
    [
      'aiVault.searchSessions',
      (params, { signal }) => {
        state.asked.push(params)
        return play(state.search, signal)
      },
    ],
    ['aiVault.searchStatus', (_params, { signal }) => play(state.status, signal)],
  ])
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await serveStdio({
    input: process.stdin,
    output: process.stdout,
    methods: scriptedMethods(() => process.exit(1)),
    version: 'scripted',
    createId: () => 'scripted',
    onFault: () => {},
  })
}
