/** The one place where the method table's last two columns are kept: who may call, and which right a client needs. */
import type { RpcMethod } from '../../protocol/rpc/dispatch.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { type MethodName, methodTable } from '../../protocol/rpc/methods.ts'
import type { Caller } from './caller.ts'

/** @returns the method, or one that refuses this caller before the parameters are looked at. */
export function guarded(name: MethodName, caller: Caller, method: RpcMethod): RpcMethod {
  return mayCall(name, caller)
    ? method
    : () => {
        throw new TrawlError('forbidden')
      }
}

function mayCall(name: MethodName, { exposure, may }: Caller): boolean {
  const { callers, right } = methodTable[name]
  if (callers === 'owner' && exposure === 'relay') return false
  return right === null || may === undefined || may.includes(right)
}
