/** What one machine's agent is told by its environment: where its data lies and which transcript roots it reads. */
import { readFileSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import { z } from 'zod'
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

const sourcesSchema = z.object({ sources: z.record(z.string(), z.array(z.string().min(1))).default({}) })

/**
 * The `[sources]` of the configuration: agent → roots in place of its own; an empty list switches it off.
 * @throws Error naming file and line when it is not TOML, or its `[sources]` is not a table of lists.
 */
export function configuredSources(machine: Machine): Readonly<Record<string, readonly TranscriptRoot[]>> {
  const file = configFilePath(machine)
  const text = readIfThere(file)
  if (text === null) return {}
  const parsed = sourcesSchema.safeParse(parseToml(text, file))
  if (!parsed.success) throw new Error(`${file}: [sources] must be a table of agent = ["directory", …].`)
  const toRoot = (path: string) => rootAt(resolve(dirname(file), expandHome(path, machine.homeDir)), machine)
  return Object.fromEntries(
    Object.entries(parsed.data.sources).map(([agent, roots]) => [
      agent,
      roots.map((path) => (agent === 'codex' ? toRoot(path) : { path: toRoot(path).path })),
    ]),
  )
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
