/**
 * The name of a key: `sha256/` and the base64 of SHA-256 over its DER `SubjectPublicKeyInfo` (RFC 7469 §2.4).
 * A host is its key; its address is only where it was last seen.
 */

export const keyPinPattern = /^sha256\/[A-Za-z0-9+/]{43}=$/

/** @param digest SHA-256 of the key's DER `SubjectPublicKeyInfo`. */
export function formatKeyPin(digest: Uint8Array): string {
  return `sha256/${Buffer.from(digest).toString('base64')}`
}
