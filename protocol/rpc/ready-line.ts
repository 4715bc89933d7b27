/**
 * The line an agent prints before it speaks JSON-RPC. A login shell may print anything first; all of it is dropped.
 */
import type { Readable } from 'node:stream'
import { TrawlError } from './errors.ts'

export const protocolVersion = 1
export const maxBannerBytes = 64 * 1024
export const readyTimeoutMs = 10_000

/** What the line begins with, behind whatever else stands on it. */
export const readyLinePrefix = 'trawl-agent ready '
const shownLineUnits = 200

export interface AgentHello {
  readonly protocol: number
  readonly version: string
}

export interface AgentArrival {
  readonly hello: AgentHello
  /** Anything at all: what a login shell prints. */
  readonly banner: string
  readonly received: Buffer
}

export function formatReadyLine(version: string): string {
  return `${readyLinePrefix}${JSON.stringify({ protocol: protocolVersion, version } satisfies AgentHello)}\n`
}

/**
 * Reads up to and including the ready line.
 * @returns what the agent said of itself, what was printed before it, and the bytes that came after the line; the stream
 *   is left paused.
 * @throws TrawlError `unreachable`: `protocol` after 64 KiB without the line, `crashed` when the stream ends first,
 *   `timeout` when it does not come in time. The sentence quotes the first line seen.
 */
export function awaitReadyLine(
  input: Readable,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<AgentArrival> {
  return new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0)

    const finish = (settle: () => void) => {
      clearTimeout(timer)
      input.off('data', onData)
      input.off('end', onEnd)
      input.off('close', onEnd)
      input.off('error', onEnd)
      options.signal.removeEventListener('abort', onAbort)
      input.pause()
      settle()
    }
    const fail = (sentence: string, reason: string) =>
      finish(() => reject(new TrawlError('unreachable', `${sentence}${quoteFirstLine(seen)}`, { reason })))
    const onEnd = () => fail('The agent ended before it was ready.', 'crashed')
    const onAbort = () => finish(() => reject(new TrawlError('cancelled')))
    const onData = (chunk: Buffer) => {
      seen = Buffer.concat([seen, chunk])
      const found = findReadyLine(seen)
      if (found !== null) return finish(() => resolve(found))
      if (seen.length > maxBannerBytes) {
        fail('The command printed 64 KiB and none of it was the ready line of trawl-agent.', 'protocol')
      }
    }
    const timer = setTimeout(
      () => fail('The agent did not say it was ready in time.', 'timeout'),
      options.timeoutMs,
    )

    if (options.signal.aborted) return onAbort()
    options.signal.addEventListener('abort', onAbort, { once: true })
    input.on('end', onEnd)
    input.on('close', onEnd)
    input.on('error', onEnd)
    input.on('data', onData)
    // Whoever read before may have paused it; listening alone would not start it again.
    input.resume()
  })
}

function findReadyLine(seen: Buffer): AgentArrival | null {
  for (let at = seen.indexOf(readyLinePrefix); at >= 0; at = seen.indexOf(readyLinePrefix, at + 1)) {
    const end = seen.indexOf(0x0a, at)
    if (end < 0) return null
    const hello = readHello(seen.toString('utf8', at + readyLinePrefix.length, end))
    if (hello !== null)
      return { hello, banner: seen.toString('utf8', 0, at), received: seen.subarray(end + 1) }
  }
  return null
}

function readHello(text: string): AgentHello | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return null
    if (!('protocol' in value) || typeof value.protocol !== 'number') return null
    if (!('version' in value) || typeof value.version !== 'string') return null
    return { protocol: value.protocol, version: value.version }
  } catch {
    return null
  }
}

function quoteFirstLine(seen: Buffer): string {
  const line =
    seen
      .toString('utf8', 0, 4 * shownLineUnits)
      .trim()
      .split('\n')[0]
      ?.trim()
      .slice(0, shownLineUnits) ?? ''
  return line === '' ? '' : ` The first line it printed: "${line}".`
}
