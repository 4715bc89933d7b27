/** The cursor of an `all` answer: base64url JSON, host id → that host's own cursor (wire.md §4). */
import { parseHostId } from '../host-id.ts'

export const maxMergedCursorBytes = 64 * 1024

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

/** Written on the web's own base64, so that the protocol runs in a browser too. */
function toBase64Url(text: string): string {
  const bytes = new TextEncoder().encode(text)
  let binary = ''
  // In slices, because a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 4096)
    binary += String.fromCharCode(...bytes.subarray(at, at + 4096))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
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
