/** `hosts.list`, `host.describe`, `caller.describe`: what is known of every configured host, connected or not, and of who asks. */
import {
  type CallerDescription,
  type HostDescription,
  type HostEntry,
  type HostList,
  hostDescriptionSchema,
} from '../protocol/rpc/describe.ts'
import type { ExposureClass } from '../protocol/session-search/exposure.ts'
import type { Caller } from './access/caller.ts'
import type { Host, HostCallOptions } from './hosts/host.ts'
import type { HostRegistry } from './hosts/registry.ts'
import { unreadableAnswer } from './search/ask-host.ts'
import { resolveHost } from './search/scope.ts'

/** Never asks a host: states are what the supervisors last saw. `detail` may hold paths, so a relay does not get it. */
export function listHosts(registry: HostRegistry, exposure: ExposureClass): HostList {
  return { hosts: registry.all().map((host) => entryOf(host, exposure)) }
}

/** One of them. */
export function entryOf(host: Host, exposure: ExposureClass): HostEntry {
  const { state, breaker, reason, detail, retryAtMs, readyAtMs, lastSeenAtMs, roundTripMs, version } =
    host.report()
  return {
    executionHostId: host.id,
    kind: host.kind,
    label: host.label,
    state,
    breaker: breaker ?? 'closed',
    ...(reason === undefined ? {} : { reason }),
    ...(detail === undefined || exposure === 'relay' ? {} : { detail }),
    retryAt: retryAtMs,
    ...(readyAtMs === undefined ? {} : { readyAt: readyAtMs }),
    lastSeenAt: lastSeenAtMs,
    roundTripMs,
    version,
    capabilities: state === 'ready' ? ['session-search'] : [],
  }
}

/** @throws TrawlError `unknown_host`, `unreachable`, `timeout`. */
export async function describeHost(
  registry: HostRegistry,
  executionHostId: string | undefined,
  options: HostCallOptions,
): Promise<HostDescription> {
  const host = resolveHost(executionHostId, registry)
  const parsed = hostDescriptionSchema.safeParse(await host.call('host.describe', () => ({}), options))
  if (!parsed.success) throw unreadableAnswer(parsed.error)
  return { ...parsed.data, executionHostId: host.id }
}

export function describeCaller({ exposure, name, may }: Caller): CallerDescription {
  return {
    exposure,
    device: may === undefined ? null : { name: name.replace(/^device:/, ''), may: [...may] },
  }
}
