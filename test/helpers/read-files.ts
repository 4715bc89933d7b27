/** What one reader makes of a home in which nothing may go wrong. */
import { join } from 'node:path'
import { expect } from 'vitest'
import type { SqlDatabase } from '../../host-agent/index/driver/driver.ts'
import { loadSqlDriver } from '../../host-agent/index/driver/load-driver.ts'
import { sourceDatabases } from '../../host-agent/indexing/source-database.ts'
import type {
  AgentEnvironment,
  SourceDatabase,
  TranscriptReader,
} from '../../host-agent/transcripts/reader.ts'
import type { AgentHome, ReadFile } from './agent-home.ts'

export async function readFiles(
  home: AgentHome,
  reader: TranscriptReader,
  environment?: Partial<AgentEnvironment>,
): Promise<readonly ReadFile[]> {
  const { files, failures, problems } = await home.read(reader, environment)
  expect({ failures, problems }).toEqual({ failures: {}, problems: [] })
  return files
}

export async function readOnlyFile(
  home: AgentHome,
  reader: TranscriptReader,
  environment?: Partial<AgentEnvironment>,
): Promise<ReadFile> {
  const files = await readFiles(home, reader, environment)
  expect(files.map(({ path }) => path)).toHaveLength(1)
  return files[0] as ReadFile
}

/** A database as a reader gets it. @param onRead hears of each statement and of what it brought. */
export function sourceOf(
  db: SqlDatabase,
  onRead: (sql: string, rows: readonly object[]) => void = () => undefined,
): SourceDatabase {
  const rows = (sql: string, ...values: readonly (string | number)[]) => {
    const found = db.prepare(sql).all(...values)
    onRead(sql, found)
    return found
  }
  return {
    rows,
    columns: (table) =>
      new Set(
        db
          .prepare('SELECT name FROM pragma_table_info(?)')
          .all(table)
          .map(({ name }) => String(name)),
      ),
  }
}

/**
 * Lists and reads a session while its owner writes after each of our reads, without any patience.
 * @param db the owner's connection. @returns the texts, and how often the owner wrote.
 */
export function readWhileWritten(
  home: AgentHome,
  reader: TranscriptReader,
  db: SqlDatabase,
  relativePath: string,
  sessionKey: string,
): { texts: readonly string[]; writes: number } {
  const format =
    reader.formatOf(relativePath.slice(relativePath.lastIndexOf('/') + 1)) ??
    reader.formatOf(relativePath.split('/').slice(-2).join('/'))
  if (format?.kind !== 'database') throw new Error('no database')
  db.exec('PRAGMA busy_timeout = 0; CREATE TABLE IF NOT EXISTS written (n INTEGER)')
  const path = join(home.dir, relativePath)
  using source = sourceDatabases(loadSqlDriver)(path)
  let writes = 0
  const watched: SourceDatabase = {
    columns: (table) => source.columns(table),
    rows(sql, ...values) {
      const rows = source.rows(sql, ...values)
      db.exec('INSERT INTO written VALUES (1)')
      writes++
      return rows
    },
  }
  format.sessions(watched)
  const file = { root: { path: home.dir }, path: `${path}#${sessionKey}`, relativePath, sessionKey }
  const { messages } = format.read(file, nothingBeside, watched)
  return { texts: messages.map(({ text }) => text), writes }
}

export const nothingBeside = { text: () => null, parsed: () => null, list: () => [], rows: () => [] }
