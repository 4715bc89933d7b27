/** The hosts this gateway knows, by id, in the order they are shown: local first, then as configured. */
import type { Host } from './host.ts'

export interface HostRegistry {
  get(id: string): Host | undefined
  all(): readonly Host[]
  /** @throws Error for an id that is taken. */
  add(host: Host): void
  remove(id: string): void
  /** Puts the hosts of these ids into this order, behind those that are not named. */
  arrange(ids: readonly string[]): void
}

/** @throws Error when two hosts share an id: configuration has to have refused that. */
export function createHostRegistry(hosts: readonly Host[]): HostRegistry {
  const byId = new Map<string, Host>()
  const registry: HostRegistry = {
    get: (id) => byId.get(id),
    all: () => [...byId.values()],
    add(host) {
      if (byId.has(host.id)) throw new Error('two hosts share an id')
      byId.set(host.id, host)
    },
    remove: (id) => void byId.delete(id),
    arrange(ids) {
      for (const id of ids) {
        const host = byId.get(id)
        if (host === undefined) continue
        byId.delete(id)
        byId.set(id, host)
      }
    },
  }
  for (const host of hosts) registry.add(host)
  return registry
}
