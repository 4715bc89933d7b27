/** A home folder with one agent's files in it, read the way indexing reads it: discovered, opened, folded. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { SqlDatabase } from '../../host-agent/index/driver/driver.ts'
import { loadSqlDriver } from '../../host-agent/index/driver/load-driver.ts'
import type { FileBatch } from '../../host-agent/index/file-batch.ts'
import { unpackRows } from '../../host-agent/index/packed-rows.ts'
import { roleCodes } from '../../host-agent/index/schema.ts'
import { discover } from '../../host-agent/indexing/discover.ts'
import type { FoundFile } from '../../host-agent/indexing/discovery.ts'
import { readTranscript } from '../../host-agent/indexing/read-transcript.ts'
import type {
  AgentEnvironment,
  SessionFacts,
  TranscriptFile,
  TranscriptKind,
  TranscriptReader,
  UnreadCounts,
} from '../../host-agent/transcripts/reader.ts'
import { accessTo, discoveryOf } from './indexing-desk.ts'

/** One transcript as it would be indexed: `said` has `role: text` (tool texts cut as the index cuts them). */
export interface ReadFile {
  /** From the home; a session of a database has `#` and its key behind the database's path. */
  readonly path: string
  readonly kind: TranscriptKind
  readonly facts: SessionFacts
  readonly said: readonly string[]
  /** Of each row, as ISO time or null. */
  readonly times: readonly (string | null)[]
  readonly unread: UnreadCounts
}

export interface HomeReading {
  /** In the order of their paths. */
  readonly files: readonly ReadFile[]
  /** Files that could not be read: path from the home → why. */
  readonly failures: Readonly<Record<string, string>>
  /** Packed files and the like, left unread: path from the home → why. */
  readonly unreadable: Readonly<Record<string, string>>
  readonly problems: readonly string[]
}

export interface AgentHome extends Disposable {
  readonly dir: string
  /** Text and bytes as they are; an array becomes JSON Lines, any other value one JSON document. @returns the path. */
  write(relativePath: string, content: unknown): string
  /** Makes a SQLite file and runs the statements in it. The connection stays open for more until the home is disposed of. */
  database(relativePath: string, sql: string): SqlDatabase
  read(reader: TranscriptReader, environment?: Partial<AgentEnvironment>): Promise<HomeReading>
}

/** @param dir of a home that stands already and is left as it is; absent, an empty one that is removed afterwards. */
export function createAgentHome(dir?: string): AgentHome {
  const homeDir = dir ?? mkdtempSync(join(tmpdir(), 'trawl-home-'))
  const databases: SqlDatabase[] = []
  const place = (relativePath: string): string => {
    const path = join(homeDir, relativePath)
    mkdirSync(dirname(path), { recursive: true })
    return path
  }
  return {
    dir: homeDir,
    write(relativePath, content) {
      const path = place(relativePath)
      writeFileSync(path, bytesOf(content))
      return path
    },
    database(relativePath, sql) {
      const db = loadSqlDriver().open(place(relativePath), { readOnly: false })
      databases.push(db)
      // Nothing here need survive a power cut, and waiting for the disk is what takes a test its time.
      db.exec('PRAGMA synchronous = OFF')
      db.exec(sql)
      return db
    },
    read: async (reader, environment) =>
      await readHome(homeDir, reader, { homeDir, platform: 'linux', env: {}, ...environment }),
    [Symbol.dispose]() {
      for (const db of databases) db.close()
      if (dir === undefined) rmSync(homeDir, { recursive: true, force: true })
    },
  }
}

async function readHome(
  homeDir: string,
  reader: TranscriptReader,
  environment: AgentEnvironment,
): Promise<HomeReading> {
  const sources = reader.roots(environment).map((root) => ({ reader, root }))
  const discovery = await discover(discoveryOf(), sources, new AbortController().signal)
  const fromHome = (path: string) => path.slice(homeDir.length + 1)
  const files: ReadFile[] = []
  const failures: Record<string, string> = {}
  for (const found of discovery.files.toSorted((a, b) => (a.file.path < b.file.path ? -1 : 1))) {
    try {
      files.push({ ...readFound(reader, found), path: fromHome(found.file.path) })
    } catch (error) {
      failures[fromHome(found.file.path)] = error instanceof Error ? error.message : String(error)
    }
  }
  const left = discovery.roots.flatMap(({ unreadable }) => unreadable)
  return {
    files,
    failures,
    unreadable: Object.fromEntries(left.map(({ path, reason }) => [fromHome(path), reason])),
    problems: discovery.roots.flatMap(({ problems }) => problems),
  }
}

/** One of the files in a home as discovery finds it. @throws Error where it finds none at that path. */
export async function findIn(
  home: AgentHome,
  reader: TranscriptReader,
  path: string,
): Promise<TranscriptFile> {
  const sources = reader
    .roots({ homeDir: home.dir, platform: 'linux', env: {} })
    .map((root) => ({ reader, root }))
  const { files } = await discover(discoveryOf(), sources, new AbortController().signal)
  const found = files.find(({ file }) => file.path === join(home.dir, path))
  if (found === undefined) throw new Error(`no transcript was found at ${path}`)
  return found.file
}

function readFound(reader: TranscriptReader, { file, stamp }: FoundFile): Omit<ReadFile, 'path'> {
  const batches = Array.from(
    readTranscript(accessTo(), reader, { file, found: stamp, expected: null, resume: null }),
  )
  const last = batches.at(-1)
  if (last === undefined) throw new Error('nothing was read')
  const rows = batches.flatMap(rowsOf)
  return {
    kind: last.kind,
    facts: last.facts,
    unread: last.unread,
    said: rows.map(({ said }) => said),
    times: rows.map(({ time }) => time),
  }
}

const roleNames = Object.fromEntries(Object.entries(roleCodes).map(([name, code]) => [code, name]))

/** The rows of a batch as people would say them. */
export function rowsOf({ rows }: FileBatch): { said: string; time: string | null }[] {
  return Array.from(unpackRows(rows), ({ role, text, timestampMs }) => ({
    said: `${roleNames[role]}: ${Buffer.from(text).toString()}`,
    time: timestampMs === null ? null : new Date(timestampMs).toISOString(),
  }))
}

function bytesOf(content: unknown): string | Buffer {
  if (typeof content === 'string' || Buffer.isBuffer(content)) return content
  if (Array.isArray(content)) return content.map((line) => `${JSON.stringify(line)}\n`).join('')
  return JSON.stringify(content, null, 2)
}
