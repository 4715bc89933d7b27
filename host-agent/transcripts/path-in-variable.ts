/** Folders that a person's environment names. */
import { posix, win32 } from 'node:path'
import type { AgentEnvironment } from './reader.ts'

/** An absolute path that a variable gives, `~` being the home as these agents read it; null for anything else. */
export function pathInVariable(
  { homeDir, platform, env }: AgentEnvironment,
  ...names: readonly string[]
): string | null {
  const { isAbsolute, join, normalize } = platform === 'win32' ? win32 : posix
  for (const name of names) {
    const value = env[name]
    if (value === undefined || value === '') continue
    const path = value === '~' || /^~[\\/]/.test(value) ? join(homeDir, value.slice(1)) : value
    if (isAbsolute(path)) return normalize(path).replace(/(?<=[^\\/:])[\\/]$/, '')
  }
  return null
}
