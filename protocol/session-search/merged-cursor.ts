/** The cursor of an `all` answer: base64url JSON, host id → that host's own cursor (wire.md §4). */
import { parseHostId } from '../host-id.ts'

/**
 * A thousand hosts that all have more to show need about 180 KiB. With wire.md's 64 KiB the gateway would refuse a
 * cursor of its own making from some 350 hosts on.
 */
export const maxMergedCursorBytes = 256 * 1024

/** @returns null when no host has more to show: no cursor with no hosts is ever issued. */
export function encodeMergedCursor(hostCursors: ReadonlyMap<string, string>): string | null {
  if (hostCursors.size === 0) return null
  return toBase64Url(JSON.stringify(Object.fromEntries(hostCursors)))
}

/** @returns null where the answer is `malformed-cursor` and no host may be contacted. */
export function decodeMergedCursor(text: string): Map<string, string> | null {
  if (text.length > maxMergedCursorBytes || !/^[A-Za-z0-9_-]+$/.test(text)) return null
  const value = parseObject(fromBase64Url(text))
  if (value === null) return null
  const hostCursors = new Map<string, string>()
  for (const [hostId, cursor] of Object.entries(value)) {
    if (typeof cursor !== 'string' || parseHostId(hostId)?.id !== hostId) return null
    hostCursors.set(hostId, cursor)
  }
  return hostCursors.size === 0 ? null : hostCursors
}

function parseObject(text: string | null): Record<string, unknown> | null {
  if (text === null) return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

const alphabet = new TextEncoder().encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')

/** Written without Node's Buffer, so that the protocol runs in a browser too; `btoa` takes 30 times as long. */
function toBase64Url(text: string): string {
  const bytes = new TextEncoder().encode(text)
  const codes = new Uint8Array(Math.ceil((bytes.length * 4) / 3))
  let to = 0
  for (let at = 0; at < bytes.length; at += 3) {
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    // What the last group has too many of falls off the end of the array.
    for (const shift of [18, 12, 6, 0]) codes[to++] = alphabet[(group >> shift) & 63] ?? 0
  }
  return new TextDecoder().decode(codes)
}

function fromBase64Url(text: string): string | null {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
