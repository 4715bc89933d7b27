/**
 * The log: JSON lines of ids, counts and codes. It holds no token at any level, and no query text, path or remote
 * error text above `debug`: callers log only what these helpers let through, and pino's redaction stands behind them.
 */
import pino, { type DestinationStream, type Logger } from 'pino'
import type { TrawlError } from '../protocol/rpc/errors.ts'
import { systemCode } from './refusal.ts'

const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

const secretKeys = ['token', 'authorization', 'credential']
const privateKeys = ['query', 'params', 'path', 'filePath', 'cwd', 'snippet', 'title']

export interface LogOptions {
  readonly level: LogLevel
  readonly destination: DestinationStream
}

/** An error object under `err` is written as its class and code, never as its text or stack. */
export function createLog({ level, destination }: LogOptions): Logger {
  const keys = [...secretKeys, ...privateKeys]
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: keys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
        censor: '[withheld]',
      },
      serializers: { err: errorFields, error: errorFields },
    },
    destination,
  )
}

/** What any level may show of an error. */
export function errorFields(error: unknown): { type: string; code?: string } {
  const type = error instanceof Error ? error.name : typeof error
  const code = systemCode(error)
  return code === null ? { type } : { type, code }
}

/** Logs a fault that a caller was told of as `internal`; its text and stack at `debug` alone. */
export function logFault(log: Logger, error: TrawlError, method: string): void {
  const { correlationId } = error.details
  log.error({ correlationId, method, err: error.cause ?? error }, 'a call failed')
  const { cause } = error
  log.debug({
    correlationId,
    detail: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
  })
}

/** `$TRAWL_LOG_LEVEL` where it names a level. */
export function logLevelFrom(
  env: Readonly<Record<string, string | undefined>>,
  fallback: LogLevel,
): LogLevel {
  return logLevels.find((level) => level === env.TRAWL_LOG_LEVEL) ?? fallback
}

/** `$TRAWL_LOG_FILE` (made with mode 0600), else what the caller offers. Lines are written at once. */
export function logDestination(
  env: Readonly<Record<string, string | undefined>>,
  otherwise: DestinationStream,
): DestinationStream {
  if (!env.TRAWL_LOG_FILE) return otherwise
  return pino.destination({ dest: env.TRAWL_LOG_FILE, sync: true, append: true, mkdir: true, mode: 0o600 })
}
