/** What the link of a QR code brings along, behind the `#` that no browser sends. */

export interface Invitation {
  readonly code: string
  /** The pin of the gateway's key that the QR code gave. */
  readonly pin: string | null
}

/** @param hash of the address, as in `#pair=K7QM-4XPD&pin=sha256/…`. @returns null where it is no invitation. */
export function readInvitation(hash: string): Invitation | null {
  const given = new URLSearchParams(hash.slice(1))
  const code = given.get('pair')
  return code === null ? null : { code, pin: given.get('pin') }
}
