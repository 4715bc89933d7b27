/** The configuration as one process holds it: read anew when asked, and its hosts added and removed, one edit at a time. */
import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { configFilePath, type Place } from '../protocol/places.ts'
import { type GatewayConfig, loadConfig, parseConfig } from './config.ts'
import type { DialledRuntimeConfig, HostConfig, QuarantinedHost } from './config-hosts.ts'
import { addHostEntry, type HostEntry, removeHostEntry, writeConfigFile } from './config-write.ts'
import { nearestWord } from './nearest-word.ts'
import { Refusal, systemCode } from './refusal.ts'

export interface ConfigStore {
  readonly file: string
  /** What it says now. @throws Refusal `configuration`. */
  load(): GatewayConfig
  /** Whether a host of that id is in it, set aside or not. */
  has(id: string): boolean
  /** How the host would be read; nothing is written. @throws Refusal `usage` where it is there already or not allowed. */
  try(entry: HostEntry): HostConfig
  /** Writes the entry behind what is there. @throws Refusal as `try`, `configuration`, `permission`. */
  add(entry: HostEntry): GatewayConfig
  /** @throws Refusal `usage` where there is no such host, `configuration`, `permission`. */
  remove(id: string): { readonly config: GatewayConfig; readonly removed: HostConfig | QuarantinedHost }
}

export function openConfigStore(place: Place): ConfigStore {
  const file = configFilePath(place)
  const read = (text: string) =>
    parseConfig(text, {
      file,
      homeDir: place.homeDir,
      isOpenToOthers: ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0,
      isThere: true,
    })

  /** @returns the text with the entry in it, and how the entry is read. */
  function withEntry(entry: HostEntry): { text: string; host: HostConfig } {
    const before = readOrEmpty(file)
    const there = read(before)
    if ([...there.hosts, ...there.quarantined].some(({ id }) => id === entry.id))
      throw new Refusal('usage', `${entry.id} is in ${file} already. Test it: trawl hosts test ${entry.id}`)
    const text = addHostEntry(before, entry, file)
    const { hosts, quarantined, warnings } = read(text)
    const refused = quarantined.find(({ id }) => id === entry.id)
    if (refused !== undefined) throw new Refusal('usage', `${entry.id} cannot be added. ${refused.reason}`)
    const unknown = warnings.find(
      (warning) => !there.warnings.includes(warning) && warning.includes('unknown key'),
    )
    if (unknown !== undefined) throw new Refusal('usage', `${entry.id} cannot be added. ${unknown}`)
    const host = hosts.find(({ id }) => id === entry.id)
    if (host === undefined) throw new Refusal('usage', `${entry.id} cannot be added; local is always there.`)
    return { text, host }
  }

  return {
    file,
    load: () => loadConfig(place),
    has(id) {
      const { hosts, quarantined } = read(readOrEmpty(file))
      return [...hosts, ...quarantined].some((host) => host.id === id)
    },
    try: (entry) => withEntry(entry).host,
    add(entry) {
      writeConfigFile(file, withEntry(entry).text)
      return loadConfig(place)
    },
    remove(id) {
      const { file: found, hosts, quarantined } = loadConfig(place)
      const all = [...hosts, ...quarantined]
      const removed = all.find((host) => host.id === id)
      const edited = found === null ? null : removeHostEntry(readFileSync(file, 'utf8'), id, file)
      if (removed === undefined || edited === null)
        throw unknownHost(
          id,
          all.map((host) => host.id),
          file,
        )
      writeConfigFile(file, edited)
      return { config: loadConfig(place), removed }
    },
  }
}

/** @param known the ids there are. */
export function unknownHost(id: string, known: readonly string[], file: string): Refusal {
  const nearest = nearestWord(id, known)
  const hint = nearest === null ? ' Those there are: trawl hosts' : ` Did you mean ${nearest}?`
  return new Refusal('usage', `There is no host ${id} in ${file}.${hint}`)
}

/** Beside the configuration, which names it. Percent-encoded: a name may hold what a file's may not. */
export function tokenFileName(environmentId: string): string {
  return `${encodeURIComponent(environmentId).slice(0, 180)}.token`
}

/** The token file that pairing made; null where the person wrote where the token is. */
export function pairedTokenFile(host: DialledRuntimeConfig, file: string): string | null {
  const made = join(dirname(file), tokenFileName(host.environmentId))
  return host.tokenFile === made ? made : null
}

/** @throws Refusal `configuration`. */
function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return ''
    throw new Refusal(
      'configuration',
      `${file} cannot be read (${systemCode(error) ?? 'unknown error'}).`,
      error,
    )
  }
}
