/**
 * Notices a gateway that is not there any more though nothing has closed: its machine sleeps, or its network has gone. A
 * gateway pings each interval, and sshd may hold such a connection for hours.
 */
import type { Clock } from '../../protocol/clock.ts'
import { livenessIntervalMs } from '../../protocol/rpc/message-channel.ts'

/** In a row: this process may have been stopped for long, and what came meanwhile is not read yet at the first look. */
const maxSilentLooks = 4

/** @returns what ends the watch. */
export function watchSilence(
  input: { readonly bytesRead: number },
  clock: Clock,
  onSilent: () => void,
): () => void {
  let seenBytes = input.bytesRead
  let silentLooks = 0
  const look = () => {
    silentLooks = input.bytesRead === seenBytes ? silentLooks + 1 : 0
    seenBytes = input.bytesRead
    if (silentLooks === maxSilentLooks) return onSilent()
    callOff = clock.after(livenessIntervalMs, look)
  }
  let callOff = clock.after(livenessIntervalMs, look)
  return () => callOff()
}
