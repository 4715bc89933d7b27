/** From an opener to a link that has described itself, within the attempt's time whatever the opener does. */
import type { RpcConnection } from '../../protocol/rpc/connection.ts'
import { hostDescriptionSchema } from '../../protocol/rpc/describe.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { MessageChannel } from '../../protocol/rpc/message-channel.ts'

/** Opens a new channel to the host's agent, which has said that it is ready. Rejects when the signal fires. */
export type OpenLink = (signal: AbortSignal) => Promise<MessageChannel>

/** Waits until an attempt may begin. @returns what to call when the next one may; twice does no harm. */
export type TakeTurn = (signal: AbortSignal) => Promise<() => void>

export const connectTimeoutMs = 20_000
/** A host says what it likes, and everybody who lists the hosts is told. */
const maxVersionUnits = 100

/** However an opener behaves, the attempt ends with its signal; a channel that comes later is closed. */
export function openInTime(opening: Promise<MessageChannel>, signal: AbortSignal): Promise<MessageChannel> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      reject(new TrawlError('cancelled'))
      opening.then(
        (late) => late.close(),
        () => {},
      )
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    opening.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** An old agent that does not know `host.describe` is as good as any: its version stays unknown. */
export async function askVersion(connection: RpcConnection, signal: AbortSignal): Promise<string | null> {
  try {
    const answer = await connection.call('host.describe', {}, { timeoutMs: connectTimeoutMs, signal })
    const parsed = hostDescriptionSchema.safeParse(answer)
    return parsed.success ? parsed.data.version.slice(0, maxVersionUnits) : null
  } catch (thrown) {
    const error = TrawlError.from(thrown)
    if (error.code === 'method_not_found') return null
    throw error.code === 'internal'
      ? new TrawlError('unreachable', error.message, { reason: 'protocol' }, error)
      : error
  }
}
