/** What one machine's agent is told by its environment: where its data lies and which transcript roots it reads. */
import { readFileSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
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
  /** Absolute paths, `*` for any name: what lies there, and what was said there, is not indexed. */
  readonly exclude: readonly string[]
}

const maxHistoryDays = 3650
const rootsAllowed = 'must be a list of directories'
const excludeAllowed = 'must be a list of paths, as in ["~/work/secret", "~/clients/*"]'
const excludedPathAllowed = 'must be a path that begins with / or ~/'
const defaultGraceMinutes = 10
const graceAllowed = 'must be a number of minutes from 0 to 1440'
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
        exclude: z
          .array(
            z.string({ error: excludeAllowed }).refine((path) => isAbsolute(expandHome(path, '/')), {
              error: excludedPathAllowed,
            }),
            { error: excludeAllowed },
          )
          .default([]),
      },
      { error: 'must be a table' },
    )
    .default({ exclude: [] }),
  agent: z
    .object(
      {
        graceMinutes: z
          .number({ error: graceAllowed })
          .min(0, graceAllowed)
          .max(1440, graceAllowed)
          .default(defaultGraceMinutes),
      },
      { error: 'must be a table' },
    )
    .default({ graceMinutes: defaultGraceMinutes }),
})

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

function readSettings(file: string): z.output<typeof settingsSchema> {
  const text = readIfThere(file)
  const parsed = settingsSchema.safeParse(text === null ? {} : parseToml(text, file))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new Error(`${file}: ${sayKey(issue?.path ?? [])} ${issue?.message ?? 'is not allowed'}.`)
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
