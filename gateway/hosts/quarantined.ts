/** A host whose configuration cannot be used: it is a leg like any other, and says why it was not asked. */
import { parseHostId } from '../../protocol/host-id.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { Host } from './host.ts'

/** @param detail the sentence that names the bad key; for same-machine callers and the log. */
export function quarantinedHost(id: string, detail: string): Host {
  return {
    id,
    kind: parseHostId(id)?.kind ?? 'runtime',
    label: id,
    report: () => ({
      state: 'quarantined',
      reason: 'not-configured',
      detail,
      retryAtMs: null,
      lastSeenAtMs: null,
      roundTripMs: null,
      version: null,
    }),
    call: async () => {
      throw new TrawlError('unreachable', undefined, { reason: 'not-configured' })
    },
  }
}
