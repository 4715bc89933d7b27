/**
 * The one error table: what a JSON-RPC error can be on any carrier (wire.md §6), and what a command line exits with.
 * A cause is for the log; it never crosses a process boundary.
 */
import type { LegReport } from '../session-search/response.ts'

export const errorTable = {
  parse_error: { rpcCode: -32700, exitCode: 2, message: 'Parse error' },
  invalid_request: { rpcCode: -32600, exitCode: 2, message: 'Invalid Request' },
  method_not_found: { rpcCode: -32601, exitCode: 2, message: 'Method not found' },
  invalid_input: { rpcCode: -32602, exitCode: 64, message: 'Invalid params' },
  invalid_path: { rpcCode: -32602, exitCode: 64, message: 'Invalid path' },
  invalid_pattern: { rpcCode: -32602, exitCode: 64, message: 'Invalid pattern' },
  unknown_host: { rpcCode: -32602, exitCode: 64, message: 'No such host' },
  internal: { rpcCode: -32603, exitCode: 2, message: 'Internal error' },
  unauthorized: { rpcCode: -32001, exitCode: 77, message: 'Missing or unknown credential' },
  forbidden: { rpcCode: -32002, exitCode: 77, message: 'Not allowed for this kind of caller' },
  not_found: { rpcCode: -32004, exitCode: 2, message: 'Not found' },
  response_too_large: {
    rpcCode: -32008,
    exitCode: 2,
    message: 'The answer is larger than one message may be',
  },
  unsupported: { rpcCode: -32009, exitCode: 2, message: 'This host does not offer that' },
  unreachable: { rpcCode: -32010, exitCode: 2, message: 'The host could not be asked' },
  rate_limited: { rpcCode: -32029, exitCode: 2, message: 'Too many calls' },
  timeout: { rpcCode: -32030, exitCode: 124, message: 'The host did not answer in time' },
  cancelled: { rpcCode: -32800, exitCode: 130, message: 'Cancelled' },
} as const satisfies Record<string, { rpcCode: number; exitCode: number; message: string }>

export type ErrorCode = keyof typeof errorTable

/** What `error.data` may hold beside its `code`. All of it is fit for any caller. */
export interface ErrorDetails {
  /** Each bad field of a request. */
  readonly issues?: readonly { readonly path: string; readonly message: string }[]
  /** Why a host could not be asked (wire.md §4). */
  readonly reason?: string
  readonly retryAfterSec?: number
  readonly correlationId?: string
  /** Every leg of an `all` search that was to be whole and is not. */
  readonly hosts?: readonly LegReport[]
}

/** The one error class that may cross a process boundary. */
export class TrawlError extends Error {
  override readonly name = 'TrawlError'
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(
    code: ErrorCode,
    message: string = errorTable[code].message,
    details: ErrorDetails = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.details = details
  }

  /** Turns anything thrown into this class: what is not ours becomes `internal`, its text kept back as the cause. */
  static from(thrown: unknown): TrawlError {
    if (thrown instanceof TrawlError) return thrown
    if (thrown instanceof Error && thrown.name === 'AbortError')
      return new TrawlError('cancelled', undefined, {}, thrown)
    return new TrawlError('internal', undefined, {}, thrown)
  }
}

/** The `error` member of a JSON-RPC response. */
export interface RpcErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** The specification's own three come out exactly as it prints them, without `data`. */
export function toRpcError(error: TrawlError): RpcErrorObject {
  const { rpcCode } = errorTable[error.code]
  if (rpcCode === -32700 || rpcCode === -32600 || rpcCode === -32601)
    return { code: rpcCode, message: error.message }
  return { code: rpcCode, message: error.message, data: { code: error.code, ...error.details } }
}

/** Reads a peer's error object. A number this table does not know is `internal`; its text is kept as the cause only. */
export function fromRpcError(error: RpcErrorObject): TrawlError {
  const data = isRecord(error.data) ? error.data : {}
  const named =
    typeof data.code === 'string' && Object.hasOwn(errorTable, data.code) ? (data.code as ErrorCode) : null
  const code = named ?? codeOfNumber(error.code)
  if (code === null) return new TrawlError('internal', undefined, {}, error)
  return new TrawlError(code, error.message, readDetails(data), error)
}

function codeOfNumber(rpcCode: number): ErrorCode | null {
  for (const [code, row] of Object.entries(errorTable)) if (row.rpcCode === rpcCode) return code as ErrorCode
  return null
}

function readDetails(data: Record<string, unknown>): ErrorDetails {
  return {
    ...(typeof data.reason === 'string' ? { reason: data.reason } : {}),
    ...(typeof data.retryAfterSec === 'number' ? { retryAfterSec: data.retryAfterSec } : {}),
    ...(typeof data.correlationId === 'string' ? { correlationId: data.correlationId } : {}),
    ...(Array.isArray(data.hosts) ? { hosts: data.hosts.filter(isLeg) } : {}),
    ...(Array.isArray(data.issues) ? { issues: data.issues.filter(isIssue) } : {}),
  }
}

/** By hand: the schema would bring all of zod to every client that reads an error. */
function isLeg(value: unknown): value is LegReport {
  return (
    isRecord(value) &&
    typeof value.executionHostId === 'string' &&
    typeof value.outcome === 'string' &&
    typeof value.durationMs === 'number' &&
    (value.reason === undefined || typeof value.reason === 'string')
  )
}

function isIssue(value: unknown): value is { path: string; message: string } {
  return isRecord(value) && typeof value.path === 'string' && typeof value.message === 'string'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
