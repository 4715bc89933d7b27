/** How a thread that reads gets at transcripts: the disk, agents' databases, and what lies beside a transcript. */
import type { SqlDriver } from '../index/driver/driver.ts'
import type { JsonRecord } from '../transcripts/json-record.ts'
import type { Beside } from '../transcripts/reader.ts'
import type { FileSystem, OpenFile } from './file-system.ts'
import { type OpenSource, sourceDatabases } from './source-database.ts'

export interface TranscriptAccess {
  readonly fileSystem: FileSystem
  readonly openDatabase: OpenSource
  readonly beside: Beside
}

/** Larger files beside a transcript are no manifests. */
const maxBesideBytes = 16 * 1024 * 1024
/** Shared files kept parsed: an agent has one or two. */
const maxParsed = 8

/** @param driver asked for once a database is met. */
export function createTranscriptAccess(fileSystem: FileSystem, driver: () => SqlDriver): TranscriptAccess {
  const openDatabase = sourceDatabases(driver)
  return { fileSystem, openDatabase, beside: createBeside(fileSystem, openDatabase) }
}

function createBeside(fileSystem: FileSystem, openDatabase: OpenSource): Beside {
  const kept = new Map<string, { readonly version: string; readonly value: unknown }>()

  function parsed<T>(path: string, parse: (text: string) => T): T | null {
    return withFile(fileSystem, path, (file) => {
      const { sizeBytes, mtimeMs, inode } = file.stamp()
      const version = `${sizeBytes} ${mtimeMs} ${inode}`
      const known = kept.get(path)
      if (known?.version === version) return known.value as T
      const value = parse(wholeText(file))
      kept.delete(path)
      kept.set(path, { version, value })
      for (const oldest of kept.keys()) if (kept.size > maxParsed) kept.delete(oldest)
      return value
    })
  }

  return {
    text: (path) => withFile(fileSystem, path, wholeText),
    parsed,
    list(folder) {
      try {
        return fileSystem.namesIn(folder).sort()
      } catch {
        return []
      }
    },
    rows(databasePath, sql, ...values) {
      try {
        using database = openDatabase(databasePath)
        return database.rows(sql, ...values)
      } catch {
        return noRows
      }
    },
  }
}

const noRows: readonly JsonRecord[] = []

function withFile<T>(fileSystem: FileSystem, path: string, use: (file: OpenFile) => T): T | null {
  try {
    const file = fileSystem.open(path)
    try {
      return file.stamp().sizeBytes > maxBesideBytes ? null : use(file)
    } finally {
      file.close()
    }
  } catch {
    return null
  }
}

function wholeText(file: OpenFile): string {
  return readBytes(file, file.stamp().sizeBytes).toString('utf8')
}

/** The first `sizeBytes`, or what there is of them. */
export function readBytes(file: OpenFile, sizeBytes: number): Buffer {
  const bytes = Buffer.allocUnsafe(sizeBytes)
  let filled = 0
  while (filled < bytes.length) {
    const got = file.read(bytes.subarray(filled), filled)
    if (got === 0) break
    filled += got
  }
  return bytes.subarray(0, filled)
}
