/**
 * Execution host ids: `local`, `ssh:<percent-encoded target>`, `runtime:<percent-encoded environment id>`.
 * The word `all` is a search scope, never a host.
 */

export type HostId =
  | { readonly kind: 'local'; readonly id: 'local' }
  | { readonly kind: 'ssh'; readonly id: string; readonly target: string }
  | { readonly kind: 'runtime'; readonly id: string; readonly environmentId: string }

export const localHostId: HostId = { kind: 'local', id: 'local' }

/**
 * Reads one host id. The text is trimmed and otherwise kept as given.
 * @returns null where the contract refuses it: empty, an empty remainder, a raw `|`, a broken percent escape,
 *   or any other word (`all` included).
 */
export function parseHostId(text: string): HostId | null {
  const id = text.trim()
  if (id === 'local') return localHostId
  const colon = id.indexOf(':')
  if (colon < 0 || id.includes('|')) return null
  const decoded = decodePercent(id.slice(colon + 1))
  if (decoded === null || decoded === '') return null
  switch (id.slice(0, colon)) {
    case 'ssh':
      return { kind: 'ssh', id, target: decoded }
    case 'runtime':
      return { kind: 'runtime', id, environmentId: decoded }
    default:
      return null
  }
}

/** Where a search goes: one host, or every host. */
export type SearchScope = HostId | 'all'

/** An omitted scope means `local`; null is a refusal (wire.md §2). */
export function parseSearchScope(text: string | null | undefined): SearchScope | null {
  if (text === null || text === undefined) return localHostId
  return text.trim() === 'all' ? 'all' : parseHostId(text)
}

/** Status describes one index, so `all` is refused. */
export function parseStatusScope(text: string | null | undefined): HostId | null {
  return text === null || text === undefined ? localHostId : parseHostId(text)
}

function decodePercent(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
