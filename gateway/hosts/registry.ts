/** The hosts this gateway knows, by id, in the order they are shown: local first, then as configured. */
import type { Host } from './host.ts'

export interface HostRegistry {
  get(id: string): Host | undefined
  all(): readonly Host[]
}

/** @throws Error when two hosts share an id: configuration has to have refused that. */
export function createHostRegistry(hosts: readonly Host[]): HostRegistry {
  const byId = new Map(hosts.map((host) => [host.id, host]))
  if (byId.size !== hosts.length) throw new Error('two hosts share an id')
  return { get: (id) => byId.get(id), all: () => hosts }
}
