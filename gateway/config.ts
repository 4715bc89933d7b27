/** Finds and reads the configuration (wire.md §7): where it lies, what it says, what is wrong with it. */
import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import { firstComplaint, type MachineSettings } from '../protocol/machine-settings.ts'
import { configFilePath, expandHome, type Place } from '../protocol/places.ts'
import { type HostConfig, type QuarantinedHost, readHosts } from './config-hosts.ts'
import { keyLine } from './config-lines.ts'
import { knownKeys, type ListenAddress, topLevelSchema } from './config-schema.ts'
import { nearestWord } from './nearest-word.ts'
import { Refusal, systemCode } from './refusal.ts'

export interface GatewayConfig {
  readonly listen: ListenAddress
  /** Origins under which clients find this gateway from outside, as in `https://trawl.example`. */
  readonly publicUrls: readonly string[]
  /** Files of a certificate and its key, absolute; null for the gateway's own. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null
  /** Where agents dial in; null opens no such door. */
  readonly agentsListen: ListenAddress | null
  /** The time each leg of a search has. */
  readonly legTimeoutMs: number
  readonly localLabel: string
  /** Beside `local`, which is always there. Ids are unique, over `quarantined` too. */
  readonly hosts: readonly HostConfig[]
  readonly quarantined: readonly QuarantinedHost[]
  /** The ids of both, as they stand in the file. */
  readonly hostOrder: readonly string[]
  /** For the agent of this machine, which reads them itself. */
  readonly index: MachineSettings['index']
  readonly agent: MachineSettings['agent']
  /** Agent → its transcript roots on this machine, absolute; an empty list switches the agent off. */
  readonly sources: Readonly<Record<string, readonly string[]>>
  /** Name → directory, absolute: what the file methods may read. */
  readonly fileRoots: Readonly<Record<string, string>>
  /** Sentences for the user. */
  readonly warnings: readonly string[]
  /** The file all this came from; null where there is none and everything is a default. */
  readonly file: string | null
}

/** Only for agents that come through a tunnel: nothing is opened to other machines unasked. */
const defaultAgentsListen: ListenAddress = { host: '127.0.0.1', port: 7719 }

/**
 * Reads the configuration; without a file, all defaults.
 * @throws Refusal `configuration`: not TOML (naming file, line and column), a top-level value that is not allowed (naming
 *   its key, and its line where there is one),
 *   a file that cannot be read, or a `$TRAWL_CONFIG` that is not there.
 */
export function loadConfig(place: Place): GatewayConfig {
  const file = configFilePath(place)
  const text = readConfigFile(file, Boolean(place.env.TRAWL_CONFIG))
  if (text === null)
    return parseConfig('', { file, homeDir: place.homeDir, isOpenToOthers: false, isThere: false })
  const isOpenToOthers = (statSync(file).mode & 0o077) !== 0
  return parseConfig(text, { file, homeDir: place.homeDir, isOpenToOthers, isThere: true })
}

export interface ConfigSource {
  readonly file: string
  readonly homeDir: string
  readonly isOpenToOthers: boolean
  readonly isThere: boolean
}

/** @throws Refusal as `loadConfig`. */
export function parseConfig(text: string, source: ConfigSource): GatewayConfig {
  const table = parseToml(text, source.file)
  const parsed = topLevelSchema.safeParse(table)
  if (!parsed.success) {
    const line = keyLine(text, parsed.error.issues[0]?.path ?? [])
    const where = line === null ? source.file : `${source.file}, line ${line}`
    throw new Refusal('configuration', `${where}: ${firstComplaint(parsed.error)}.`)
  }

  const warnings: string[] = []
  const resolvePath = (path: string) => resolve(dirname(source.file), expandHome(path, source.homeDir))
  const warnUnknownKeys = (where: string, keys: object, known: readonly string[]) => {
    for (const key of Object.keys(keys)) {
      if (known.includes(key)) continue
      const nearest = nearestWord(key, known)
      const hint = nearest === null ? '' : ` Did you mean ${nearest}?`
      warnings.push(`${source.file}: ${where} has an unknown key "${key}", which is ignored.${hint}`)
    }
  }
  warnUnknownKeys('the top level', table, knownKeys.top)
  if (typeof table.files === 'object' && table.files !== null)
    warnUnknownKeys('[files]', table.files, knownKeys.files)
  if (typeof table.index === 'object' && table.index !== null)
    warnUnknownKeys('[index]', table.index, knownKeys.index)
  if (typeof table.agent === 'object' && table.agent !== null)
    warnUnknownKeys('[agent]', table.agent, knownKeys.agent)
  const { listen, publicUrls, tls, agentsListen, legTimeoutMs, hosts, sources, index, agent, files } =
    parsed.data
  const reading = readHosts(hosts, hostLines(text, hosts.length), {
    file: source.file,
    isOpenToOthers: source.isOpenToOthers,
    resolvePath,
    warnUnknownKeys,
    warn: (sentence) => warnings.push(`${source.file}: ${sentence}`),
  })
  const dialsIn = reading.hosts.some((host) => host.kind === 'runtime-dials-in')
  return {
    ...reading,
    listen,
    publicUrls,
    tls:
      tls === undefined ? null : { certFile: resolvePath(tls.certFile), keyFile: resolvePath(tls.keyFile) },
    agentsListen: agentsListen ?? (dialsIn ? defaultAgentsListen : null),
    legTimeoutMs,
    index,
    agent,
    sources: mapValues(sources, (roots) => roots.map(resolvePath)),
    fileRoots: mapValues(files.roots, resolvePath),
    warnings,
    file: source.isThere ? source.file : null,
  }
}

function readConfigFile(file: string, mustExist: boolean): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' && !mustExist) return null
    if (code === 'ENOENT')
      throw new Refusal('configuration', `TRAWL_CONFIG names ${file}, which is not there.`)
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new Refusal('configuration', `${file} is not UTF-8 text.`, error)
    throw new Refusal('configuration', `${file} cannot be read (${code ?? 'unknown error'}).`, error)
  }
}

function parseToml(text: string, file: string): Record<string, unknown> {
  try {
    return { ...parse(text) }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const what = error.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '') ?? 'not TOML'
    throw new Refusal(
      'configuration',
      `${file}, line ${error.line}, column ${error.column}: ${what}.\n${error.codeblock.trimEnd()}`,
      error,
    )
  }
}

/** The lines on which the entries start; null where headers and entries do not agree (inline tables, long texts). */
function hostLines(text: string, count: number): number[] | null {
  const lines = text
    .split('\n')
    .flatMap((line, index) => (/^\s*\[\[\s*hosts\s*\]\]/.test(line) ? [index + 1] : []))
  return lines.length === count ? lines : null
}

function mapValues<From, To>(record: Record<string, From>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}
