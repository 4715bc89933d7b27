/** Refuses a WebSocket before it is one. */
import type { Duplex } from 'node:stream'

/**
 * The stream is closed for good: a server's own timeouts do not hold for it any more, and whoever was refused might
 * keep its half of it open for ever.
 * @param status as in `403 Forbidden`. @param headers further lines.
 */
export function refuseUpgrade(stream: Duplex, status: string, headers: readonly string[] = []): void {
  const head = [`HTTP/1.1 ${status}`, ...headers, 'Connection: close', 'Content-Length: 0', '', '']
  stream.end(head.join('\r\n'), () => stream.destroy())
}
