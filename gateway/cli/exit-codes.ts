/** What the commands exit with: 0, 1 and 2 as grep does; the rest as sysexits.h has them. */
import { errorTable, TrawlError } from '../../protocol/rpc/errors.ts'
import { Refusal, type RefusalKind } from '../refusal.ts'

export const exitCodes = {
  done: 0,
  noHits: 1,
  error: 2,
  /** With `--strict`: there is an answer, but a host that was asked has no part in it. */
  hostsSilent: 3,
  usage: 64,
  gatewayUnreachable: 69,
  denied: 77,
  badConfiguration: 78,
  interrupted: 130,
} as const

const refusalExitCodes: Readonly<Record<RefusalKind, number>> = {
  usage: exitCodes.usage,
  configuration: exitCodes.badConfiguration,
  permission: exitCodes.denied,
  'in-use': exitCodes.error,
  'gateway-unreachable': exitCodes.gatewayUnreachable,
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof Refusal) return refusalExitCodes[error.kind]
  return errorTable[TrawlError.from(error).code].exitCode
}
