/** Who is asked: one host, every host, or exactly the hosts of a merged cursor. A bad id stops here. */
import { parseSearchScope, parseStatusScope } from '../../protocol/host-id.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { decodeMergedCursor } from '../../protocol/session-search/merged-cursor.ts'
import type { Host } from '../hosts/host.ts'
import type { HostRegistry } from '../hosts/registry.ts'

/** One leg of an `all` search. `host` is null for a host that a cursor names and that is gone. */
export interface Leg {
  readonly hostId: string
  readonly host: Host | null
  readonly cursor: string | undefined
}

export type ResolvedScope =
  | { readonly kind: 'one'; readonly host: Host }
  | { readonly kind: 'all'; readonly legs: readonly Leg[] }
  | { readonly kind: 'malformed-cursor' }

/**
 * @throws TrawlError `unknown_host` for an id that names no known host; it is never widened to `all`
 *   and never answered by `local` (contract, "Execution host routing").
 */
export function resolveSearchScope(
  request: { executionHostId?: string | undefined; cursor?: string | undefined },
  registry: HostRegistry,
): ResolvedScope {
  const scope = parseSearchScope(request.executionHostId)
  if (scope === null) throw unknownHost(request.executionHostId, registry)
  if (scope !== 'all') return { kind: 'one', host: knownHost(scope.id, registry) }
  if (request.cursor === undefined) {
    return { kind: 'all', legs: registry.all().map((host) => ({ hostId: host.id, host, cursor: undefined })) }
  }
  const hostCursors = decodeMergedCursor(request.cursor)
  if (hostCursors === null) return { kind: 'malformed-cursor' }
  const legs = Array.from(hostCursors, ([hostId, cursor]) => ({
    hostId,
    host: registry.get(hostId) ?? null,
    cursor,
  }))
  return { kind: 'all', legs }
}

/** @throws TrawlError `unknown_host`, for `all` too: status describes one index. */
export function resolveHost(executionHostId: string | undefined, registry: HostRegistry): Host {
  const scope = parseStatusScope(executionHostId)
  if (scope === null) throw unknownHost(executionHostId, registry)
  return knownHost(scope.id, registry)
}

function knownHost(id: string, registry: HostRegistry): Host {
  const host = registry.get(id)
  if (host === undefined) throw unknownHost(id, registry)
  return host
}

function unknownHost(id: string | undefined, registry: HostRegistry): TrawlError {
  const known = registry.all().map((host) => host.id)
  const message = `No host is called "${id ?? ''}". Known hosts: ${known.join(', ')}.`
  return new TrawlError('unknown_host', message, { issues: [{ path: 'executionHostId', message }] })
}
