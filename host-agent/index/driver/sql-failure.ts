/** Names what went wrong inside SQLite, whichever driver threw it. */

/** `read-only` covers a file and a folder that may not be written; `cannot-open` a path that is no file. */
export type SqlFailure =
  | 'corrupt'
  | 'not-a-database'
  | 'read-only'
  | 'full'
  | 'busy'
  | 'cannot-open'
  | 'input-output'

const byPrimaryCode: ReadonlyMap<number, SqlFailure> = new Map([
  [5, 'busy'],
  [6, 'busy'],
  [8, 'read-only'],
  [10, 'input-output'],
  [11, 'corrupt'],
  [13, 'full'],
  [14, 'cannot-open'],
  [26, 'not-a-database'],
])

const byName: readonly (readonly [string, SqlFailure])[] = [
  ['SQLITE_BUSY', 'busy'],
  ['SQLITE_LOCKED', 'busy'],
  ['SQLITE_READONLY', 'read-only'],
  ['SQLITE_IOERR', 'input-output'],
  ['SQLITE_CORRUPT', 'corrupt'],
  ['SQLITE_FULL', 'full'],
  ['SQLITE_CANTOPEN', 'cannot-open'],
  ['SQLITE_NOTADB', 'not-a-database'],
]

/** @returns null for anything that is not one of SQLite's own failures. */
export function sqlFailure(error: unknown): SqlFailure | null {
  if (!(error instanceof Error)) return null
  // node:sqlite: the extended result code; its low byte is the primary one.
  if ('errcode' in error && typeof error.errcode === 'number')
    return byPrimaryCode.get(error.errcode & 0xff) ?? null
  // better-sqlite3: the extended code's name.
  const code = 'code' in error ? error.code : undefined
  if (typeof code !== 'string') return null
  return byName.find(([name]) => code.startsWith(name))?.[1] ?? null
}
