/** What one machine's agent is told by its environment: where its data lies and which transcript roots it reads. */
import { readFileSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import {
  firstComplaint,
  type MachineSettings,
  machineSettingsSchema,
} from '../../protocol/machine-settings.ts'
import { configFilePath, expandHome, type Place } from '../../protocol/places.ts'
import type { TranscriptRoot } from '../transcripts/reader.ts'

export interface Machine extends Place {
  readonly platform: NodeJS.Platform
}

/** @throws Error with the remedy when others can enter a directory that is there already. */
export async function ensurePrivateDir(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const { mode } = await stat(dir)
  if (process.platform === 'win32' || (mode & 0o077) === 0) return
  throw new Error(`Others on this machine can enter the data directory ${dir}. Run: chmod 700 ${dir}`)
}

export interface IndexSettings {
  /** Agent → roots in place of its own; an empty list switches it off. */
  readonly sources: Readonly<Record<string, readonly TranscriptRoot[]>>
  /** Sessions whose last message is older are not kept; null: all are. */
  readonly historyDays: number | null
  /** Absolute paths, `*` for any name: what lies there, and what was said there, is not indexed. */
  readonly exclude: readonly string[]
}

/**
 * `[sources]` and `[index]` of the configuration.
 * @throws Error naming file and line when it is not TOML, and the key when what it says is not allowed.
 */
export function indexSettings(machine: Machine): IndexSettings {
  const file = configFilePath(machine)
  const { sources, index } = readSettings(file)
  const absolute = (path: string) => resolve(dirname(file), expandHome(path, machine.homeDir))
  const toRoot = (path: string) => rootAt(absolute(path), machine)
  const roots = Object.entries(sources).map(([agent, paths]) => [
    agent,
    paths.map((path) => (agent === 'codex' ? toRoot(path) : { path: toRoot(path).path })),
  ])
  return {
    sources: Object.fromEntries(roots),
    historyDays: index.historyDays ?? null,
    exclude: index.exclude.map(absolute),
  }
}

/** How long the resident agent stays without a connection, in milliseconds; 0: there is to be none. @throws as above. */
export function graceMs(machine: Machine): number {
  return readSettings(configFilePath(machine)).agent.graceMinutes * 60_000
}

function readSettings(file: string): MachineSettings {
  const text = readIfThere(file)
  const parsed = machineSettingsSchema.safeParse(text === null ? {} : parseToml(text, file))
  if (parsed.success) return parsed.data
  throw new Error(`${file}: ${firstComplaint(parsed.error)}.`)
}

/** A Codex root tells its home, which a resume command has to name unless it is the default one. */
function rootAt(path: string, { homeDir }: Machine): TranscriptRoot {
  const codexHome = /[\\/](?:archived_)?sessions$/.test(path) ? dirname(path) : path
  return codexHome === join(homeDir, '.codex') ? { path } : { path, codexHome }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

function parseToml(text: string, file: string): unknown {
  try {
    return parse(text)
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause
    const what = cause.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '') ?? 'not TOML'
    throw new Error(
      `${file}, line ${cause.line}, column ${cause.column}: ${what}.\n${cause.codeblock.trimEnd()}`,
      { cause },
    )
  }
}
