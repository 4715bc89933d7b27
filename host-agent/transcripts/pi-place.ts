/** Where the agents of Pi's family keep their sessions, and what a transcript's place says of it. */
import { posix, win32 } from 'node:path'
import { sessionIdOfFile } from './session-names.ts'

export interface PiPlace {
  /** The id that the file's name gives: `2026-02-01T10-00-00-000Z_<id>.jsonl`, or the id alone. */
  readonly fileId: string
  readonly folders: readonly string[]
}

export function piPlace(relativePath: string): PiPlace {
  const folders = relativePath.split('/')
  const name = folders.pop() ?? relativePath
  return { fileId: piIdOf(name), folders }
}

/** The session's id in the name of its file, or of the folder of its artifacts. */
export function piIdOf(name: string): string {
  const bare = name.replace(/\.jsonl(?:\..*)?$/, '')
  return /^\d{4}-\d\d-\d\d[^_]*_(.+)$/.exec(bare)?.[1] ?? sessionIdOfFile(bare)
}

/**
 * The sessions' folder for a configured one, which people set at any of three levels: the folder in the home
 * (`~/.pi`), the agent's in it (`agent`), or the sessions' own.
 */
export function sessionsIn(configured: string, platform: NodeJS.Platform): string {
  const { basename, join } = platform === 'win32' ? win32 : posix
  const name = basename(configured)
  if (name === 'sessions') return configured
  return name.startsWith('.') ? join(configured, 'agent', 'sessions') : join(configured, 'sessions')
}
