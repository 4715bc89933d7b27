/** Pairs this browser with the gateway it came from, over a WebSocket at `/pair`. */
import { checkDigits, commitmentTo, deriveToken, makePairingKeys } from '../../protocol/link/pairing-keys.ts'
import { openGatewayLink } from './gateway-link.ts'

export interface Invitation {
  readonly code: string
  /** The pin of the gateway's key that the QR code gave. */
  readonly pin: string | null
}

interface Begun {
  readonly gatewayName: string
  readonly gatewayKey: string
  readonly gatewayPin: string
}

/** @param hash of the address, as in `#pair=K7QM-4XPD&pin=sha256/…`. @returns null where it is no invitation. */
export function readInvitation(hash: string): Invitation | null {
  const given = new URLSearchParams(hash.slice(1))
  const code = given.get('pair')
  return code === null ? null : { code, pin: given.get('pin') }
}

/**
 * @param onDigits is given the six digits that the owner compares, and the gateway's name.
 * @returns the token. @throws Error with the gateway's own sentence, and where what answers is not who made the code.
 */
export async function pairBrowser(
  url: string,
  { code, pin }: Invitation,
  name: string,
  onDigits: (digits: string, gatewayName: string) => void,
): Promise<string> {
  if (!window.isSecureContext)
    throw new Error('Browsers pair over https only. Open this page by its https address.')
  const { subtle } = crypto
  const keys = await makePairingKeys(subtle)
  const commitment = await commitmentTo(keys.publicKey, subtle)
  const link = await openGatewayLink(url, null)
  const options = { signal: new AbortController().signal }
  try {
    const params = { code, name, kind: 'web', commitment }
    const { gatewayKey, gatewayPin, gatewayName } = (await link.call(
      'pairing.begin',
      params,
      options,
    )) as Begun
    if (pin !== null && pin !== gatewayPin)
      throw new Error('What answered is not the gateway that made the code.')
    const transcript = { clientKey: keys.publicKey, gatewayKey, gatewayPin }
    const decided = link.call('pairing.reveal', { publicKey: keys.publicKey }, options)
    // It may fail before the digits are there; that is told below.
    decided.catch(() => {})
    onDigits(await checkDigits(transcript, subtle), gatewayName)
    await decided
    return await deriveToken(keys, gatewayKey, transcript, subtle)
  } finally {
    link.close()
  }
}
