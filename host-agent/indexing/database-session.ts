/** The path under which a session of a database is known: the database's, `#`, and the session's key. */
import type { TranscriptFile, TranscriptReader } from '../transcripts/reader.ts'

export function sessionPath(databasePath: string, key: string): string {
  return `${databasePath}#${key}`
}

/** @throws Error for a file that is no session of a database. */
export function databasePathOf({ path, sessionKey }: TranscriptFile): string {
  if (sessionKey === undefined) throw new Error('no session of a database')
  return path.slice(0, -sessionKey.length - 1)
}

/** The database a stored path below `rootPath` leads into; null for the path of a file. */
export function databaseInPath(reader: TranscriptReader, rootPath: string, path: string): string | null {
  for (let at = path.indexOf('#', rootPath.length); at !== -1; at = path.indexOf('#', at + 1)) {
    const relativePath = path.slice(rootPath.length + 1, at).replaceAll('\\', '/')
    if (reader.formatOf(relativePath)?.kind === 'database') return path.slice(0, at)
  }
  return null
}
