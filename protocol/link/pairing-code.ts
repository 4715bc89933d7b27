/**
 * The short code by which a client proves that it was shown this gateway's screen: eight letters and digits, 40 bits. Its
 * first half tells which offer is meant, to whoever has seen it.
 */

/** Crockford's base 32: none of its symbols is taken for another. */
const symbols = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const codeLength = 8

/** @param randomBytes at least eight; five bits of each are used. @returns as in `K7QM-4XPD`. */
export function formatPairingCode(randomBytes: Uint8Array): string {
  const text = Array.from(randomBytes.subarray(0, codeLength), (byte) => symbols[byte % 32]).join('')
  return `${text.slice(0, 4)}-${text.slice(4)}`
}

/** Reads what people type: either case, with spaces or without, O for 0, I or L for 1. @returns null for no code. */
export function readPairingCode(typed: string): string | null {
  const text = typed
    .toUpperCase()
    .replaceAll(/[\s\-\u2010-\u2015]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  const isCode = text.length === codeLength && [...text].every((symbol) => symbols.includes(symbol))
  return isCode ? `${text.slice(0, 4)}-${text.slice(4)}` : null
}

/** @param code as `readPairingCode` returns it. */
export function firstHalfOf(code: string): string {
  return code.slice(0, codeLength / 2)
}
