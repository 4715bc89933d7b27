/**
 * Which requests over TCP a web page may not have made. A page that rebinds its name to 127.0.0.1 still sends that
 * name as Host, and a page that opens a WebSocket across sites sends its Origin: only loopback names pass.
 */

export interface RequestOrigin {
  /** The `Host` header. */
  readonly host: string | undefined
  /** The `Origin` header; programs other than browsers send none. */
  readonly origin: string | undefined
}

/** @returns the sentence of the refusal, or null where the request may go on. */
export function refuseOrigin({ host, origin }: RequestOrigin): string | null {
  if (host === undefined || !isLoopbackName(hostOfUrl(`http://${host}`)))
    return 'This gateway answers under loopback names only (localhost, 127.0.0.1, [::1])'
  if (origin !== undefined && !isLoopbackName(hostOfUrl(origin)))
    return 'Requests from web pages of other origins are refused'
  return null
}

/** @param name a host name as `URL` writes it: lower case, IPv6 in brackets. */
export function isLoopbackName(name: string | null): boolean {
  if (name === null) return false
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '[::1]' ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name)
  )
}

function hostOfUrl(url: string): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed === null || parsed.username !== '' || parsed.password !== '' || parsed.hostname === '')
    return null
  return parsed.hostname
}
