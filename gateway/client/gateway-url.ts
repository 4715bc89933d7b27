/** Where a gateway's doors are, from the one address a person gives. */
import { TrawlError } from '../../protocol/rpc/errors.ts'

export interface GatewayUrl {
  readonly carrier: 'http' | 'websocket'
  readonly rpcUrl: string
  /** Of the WebSocket that redeems a code. */
  readonly pairUrl: string
}

/** @throws TrawlError `invalid_input` for anything but http, https, ws or wss, and where the address holds a credential. */
export function readGatewayUrl(text: string): GatewayUrl {
  const url = URL.canParse(text) ? new URL(text) : null
  const isKnown = url !== null && ['http:', 'https:', 'ws:', 'wss:'].includes(url.protocol)
  if (!isKnown)
    throw new TrawlError('invalid_input', 'The address of a gateway begins with http:, https:, ws: or wss:.')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new TrawlError(
      'invalid_input',
      'A token does not belong into the address of a gateway; give it as `token`.',
    )
  const base = `${url.host}${url.pathname.replace(/\/(?:rpc)?$/, '')}`
  const secure = url.protocol === 'https:' || url.protocol === 'wss:' ? 's' : ''
  const carrier = url.protocol.startsWith('http') ? 'http' : 'websocket'
  return {
    carrier,
    rpcUrl: `${carrier === 'http' ? 'http' : 'ws'}${secure}://${base}/rpc`,
    pairUrl: `ws${secure}://${base}/pair`,
  }
}
