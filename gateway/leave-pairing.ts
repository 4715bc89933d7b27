/** What is left of a paired host once it is out of the configuration: its token here, and this gateway's name there. */
import { rmSync } from 'node:fs'
import type { Clock } from '../protocol/clock.ts'
import { leaveMethod } from '../protocol/link/pairing-messages.ts'
import { openConnection } from '../protocol/rpc/connection.ts'
import { TrawlError } from '../protocol/rpc/errors.ts'
import { maxPeerMessageBytes } from '../protocol/rpc/message-channel.ts'
import type { HostConfig, QuarantinedHost } from './config-hosts.ts'
import { pairedTokenFile } from './config-store.ts'
import { openInTime } from './hosts/open-link.ts'
import { openRuntimeLink } from './hosts/runtime.ts'
import { withDeadline } from './hosts/ssh/deadline.ts'

/** A host that is gone is no reason to wait long. */
const leaveTimeoutMs = 3_000

export interface LeaveOptions {
  /** The configuration, beside which pairing puts its tokens. */
  readonly file: string
  readonly clock: Clock
  readonly signal: AbortSignal
  createId(): string
}

/** @returns whether the other side has forgotten this gateway; `none` where pairing had not made the host. */
export async function leavePairing(
  host: HostConfig | QuarantinedHost,
  { file, clock, signal, createId }: LeaveOptions,
): Promise<'ended' | 'not-told' | 'none'> {
  if (!('kind' in host) || host.kind !== 'runtime-dialled') return 'none'
  const tokenFile = pairedTokenFile(host, file)
  if (tokenFile === null) return 'none'
  try {
    const onExpired = () => new TrawlError('timeout')
    await withDeadline({ clock, timeoutMs: leaveTimeoutMs, signal, onExpired }, async (bounded) => {
      const { url, token, pin } = host
      const open = openRuntimeLink({ url, token, ...(pin === undefined ? {} : { pin }), clock })
      await using connection = openConnection(await openInTime(open(bounded), bounded), {
        methods: new Map(),
        maxMessageBytes: maxPeerMessageBytes,
        createId,
        clock,
      })
      await connection.call(leaveMethod, {}, { timeoutMs: leaveTimeoutMs, signal: bounded })
    })
    return 'ended'
  } catch (thrown) {
    // Whoever does not know the token any more has nothing to forget.
    return TrawlError.from(thrown).details.reason === 'auth-failed' ? 'ended' : 'not-told'
  } finally {
    rmSync(tokenFile, { force: true })
  }
}
