/**
 * Which requests over TCP a web page may not have made. A page that rebinds its name to this machine's address still
 * sends that name as Host, and a page that opens a WebSocket across sites sends its Origin: both are checked against a
 * list, on every request and every upgrade.
 */
import { isIP } from 'node:net'

export interface RequestOrigin {
  /** The `Host` header. */
  readonly host: string | undefined
  /** The `Origin` header; programs other than browsers send none. */
  readonly origin: string | undefined
}

export interface KnownNames {
  /** Host names, lower case, under which this gateway is served on purpose, beside the loopback names. */
  readonly names: readonly string[]
  /** An address in numbers cannot be rebound; answered where the gateway listens beyond loopback. */
  readonly mayBeAddress: boolean
  /** Origins of pages that may call, beside the gateway's own, as in `https://trawl.example`. */
  readonly origins: readonly string[]
}

export const loopbackOnly: KnownNames = { names: [], mayBeAddress: false, origins: [] }

/** @returns the sentence of the refusal, or null where the request may go on. */
export function refuseOrigin(
  { host, origin }: RequestOrigin,
  known: KnownNames = loopbackOnly,
): string | null {
  const asked = host === undefined ? null : readUrl(`http://${host}`)
  if (asked === null || !isKnownName(asked.hostname, known)) return sayKnownNames(known)
  if (origin === undefined) return null
  const page = readUrl(origin)
  const isOwn = page !== null && page.host === asked.host
  if (page !== null && (isLoopbackName(page.hostname) || isOwn || known.origins.includes(page.origin)))
    return null
  return 'Requests from web pages of other origins are refused'
}

/**
 * Whether a request comes from this machine itself, as far as it can tell: a proxy's address is this machine's too, but
 * it says that it forwards, or asks for another name, or the configuration has `publicUrls` for it.
 * @param address the other end of the connection.
 */
export function isFromThisMachine(
  request: { host: string | undefined; address: string; isForwarded: boolean },
  { origins }: KnownNames = loopbackOnly,
): boolean {
  const { host, address, isForwarded } = request
  if (isForwarded || origins.length > 0 || !isLoopbackHost(address.replace(/^::ffff:/i, ''))) return false
  return isLoopbackName(readUrl(`http://${host}`)?.hostname ?? '')
}

function isKnownName(name: string, { names, mayBeAddress }: KnownNames): boolean {
  if (isLoopbackName(name) || names.includes(name)) return true
  return mayBeAddress && isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 && name !== '0.0.0.0' && name !== '[::]'
}

function sayKnownNames({ names }: KnownNames): string {
  if (names.length === 0)
    return 'This gateway answers under loopback names only (localhost, 127.0.0.1, [::1]). A name of its own is given by publicUrls in the configuration'
  return 'This gateway does not answer under that name. Names of its own are given by publicUrls in the configuration'
}

/** @param name a host name as `URL` writes it: lower case, IPv6 in brackets. */
export function isLoopbackName(name: string): boolean {
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '[::1]' ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name)
  )
}

/** @param host as a socket is told to listen on: a name or an address, IPv6 without brackets. */
export function isLoopbackHost(host: string): boolean {
  return isLoopbackName(host.includes(':') ? `[${host}]` : host.toLowerCase())
}

function readUrl(url: string): URL | null {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed === null || parsed.username !== '' || parsed.password !== '' || parsed.hostname === '')
    return null
  return parsed
}
