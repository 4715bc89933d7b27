/** `aiVault.readSession` through the gateway: one host's transcript, a page at a time. */
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { type ExposureClass, redactPageForTransport } from '../../protocol/session-search/exposure.ts'
import {
  type ReadSessionRequest,
  type ReadSessionResponse,
  readSessionResponseSchema,
} from '../../protocol/session-search/read-session.ts'
import { exposureOfLeg, unreadableAnswer } from './ask-host.ts'
import { resolveHost } from './scope.ts'
import type { SearchDesk } from './search-sessions.ts'

/**
 * @throws TrawlError `unknown_host`, `not_found`, `unreachable`, `timeout`.
 */
export async function readSession(
  desk: SearchDesk,
  { executionHostId, ...request }: ReadSessionRequest,
  { exposure, signal }: { readonly exposure: ExposureClass; readonly signal: AbortSignal },
): Promise<ReadSessionResponse> {
  const host = resolveHost(executionHostId, desk.registry)
  let answer: unknown
  try {
    answer = await host.call('aiVault.readSession', () => request, { signal, timeoutMs: desk.legTimeoutMs })
  } catch (thrown) {
    const error = TrawlError.from(thrown)
    if (error.code === 'method_not_found') return { kind: 'unavailable', reason: 'no-service' }
    throw error
  }
  const parsed = readSessionResponseSchema.safeParse(answer)
  if (!parsed.success) throw unreadableAnswer(parsed.error)
  return redactPageForTransport(parsed.data, exposureOfLeg(host, exposure))
}
