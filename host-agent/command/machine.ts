/** What one machine's agent is told by its environment: where its data lies and which transcript roots it reads. */
import { readFileSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import * as z from 'zod'
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
}

const maxHistoryDays = 3650
const rootsAllowed = 'must be a list of directories'
const settingsSchema = z.object({
  sources: z
    .record(
      z.string(),
      z.array(z.string({ error: rootsAllowed }).min(1, rootsAllowed), { error: rootsAllowed }),
      { error: 'must be a table of agent = ["directory", …]' },
    )
    .default({}),
  index: z
    .object(
      {
        historyDays: z
          .int({ error: `must be a whole number of days from 1 to ${maxHistoryDays}` })
          .min(1, `must be a whole number of days from 1 to ${maxHistoryDays}`)
          .max(maxHistoryDays, `must be a whole number of days from 1 to ${maxHistoryDays}`)
          .optional(),
      },
      { error: 'must be a table' },
    )
    .default({}),
})

/**
 * `[sources]` and `[index]` of the configuration.
 * @throws Error naming file and line when it is not TOML, and the key when what it says is not allowed.
 */
export function indexSettings(machine: Machine): IndexSettings {
  const file = configFilePath(machine)
  const text = readIfThere(file)
  if (text === null) return { sources: {}, historyDays: null }
  const parsed = settingsSchema.safeParse(parseToml(text, file))
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new Error(`${file}: ${sayKey(issue?.path ?? [])} ${issue?.message ?? 'is not allowed'}.`)
  }
  const toRoot = (path: string) => rootAt(resolve(dirname(file), expandHome(path, machine.homeDir)), machine)
  const sources = Object.entries(parsed.data.sources).map(([agent, roots]) => [
    agent,
    roots.map((path) => (agent === 'codex' ? toRoot(path) : { path: toRoot(path).path })),
  ])
  return { sources: Object.fromEntries(sources), historyDays: parsed.data.index.historyDays ?? null }
}

/** `[index] historyDays`, as a person would find it in the file. */
function sayKey([table, ...rest]: readonly PropertyKey[]): string {
  return [`[${String(table)}]`, ...rest.map(String)].join(' ')
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
