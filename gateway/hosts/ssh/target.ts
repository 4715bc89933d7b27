/** Reads the target of an `ssh:` host id: an ssh_config alias, `user@host:port`, `[v6]:port` or an `ssh://` address. */
import { unreachable } from './ssh-errors.ts'

export interface SshTarget {
  /** As the user wrote it; what sentences call the host. */
  readonly text: string
  /** The name that is looked up in ssh_config; an IPv6 address stands without its brackets. */
  readonly host: string
  readonly user: string | null
  readonly port: number | null
}

/**
 * @throws TrawlError `unreachable` / `not-configured` for what can be no target. A leading `-` is refused because such
 *   a name would be an option to the system's ssh; control characters and spaces because no host has them.
 */
export function parseSshTarget(text: string): SshTarget {
  const refuse = (why: string) =>
    unreachable('not-configured', `${JSON.stringify(text)} is no SSH target: ${why}.`)
  if (/[\u0000-\u0020\u007f-\u00a0\u2028\u2029]/.test(text))
    throw refuse('it holds a space or a control character')
  const address = text.replace(/^ssh:\/\//i, '').replace(/\/$/, '')
  const at = address.lastIndexOf('@')
  const user = at < 0 ? null : address.slice(0, at)
  const place = splitPort(address.slice(at + 1))
  if (place === null) throw refuse('its brackets do not fit')
  if (place.host === '') throw refuse('the host is missing')
  if (user === '') throw refuse('the user before @ is missing')
  if (place.host.startsWith('-') || user?.startsWith('-')) throw refuse('a name may not begin with -')
  if (/[/\\]/.test(place.host)) throw refuse('a host name holds no slash')
  const port = place.port === null ? null : parsePort(place.port)
  if (Number.isNaN(port)) throw refuse('the port is no number from 1 to 65535')
  return { text, host: place.host, user, port }
}

/** @returns a port, or NaN for what is none. */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  return port >= 1 && port <= 65_535 ? port : Number.NaN
}

function splitPort(place: string): { host: string; port: string | null } | null {
  if (place.startsWith('[')) {
    const found = /^\[([^[\]]*)\](?::(.*))?$/.exec(place)
    return found === null ? null : { host: found[1] ?? '', port: found[2] ?? null }
  }
  if (/[[\]]/.test(place)) return null
  const colon = place.indexOf(':')
  // More than one colon without brackets is a bare IPv6 address.
  if (colon < 0 || place.includes(':', colon + 1)) return { host: place, port: null }
  return { host: place.slice(0, colon), port: place.slice(colon + 1) }
}
