/** Paths beside a transcript, by the rules of the system its own path belongs to. */
import { posix, win32 } from 'node:path'
import { shellOfPath } from './resume-command.ts'

/** `('/a/b/c.json', '..', 'd.json')` → `/a/d.json`: parts are joined to the folder the file lies in. */
export function neighbourPath(path: string, ...parts: readonly string[]): string {
  const { dirname, join } = shellOfPath(path) === 'windows' ? win32 : posix
  return join(dirname(path), ...parts)
}
