/** A temporary home with made-up transcripts, an index beside it, and an indexer over both: what indexing's tests sit at. */
import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { SqlDatabase } from '../../host-agent/index/driver/driver.ts'
import { loadSqlDriver } from '../../host-agent/index/driver/load-driver.ts'
import type { FileStamp } from '../../host-agent/index/file-rows.ts'
import { openIndex } from '../../host-agent/index/open-index.ts'
import { DatabaseCatalogue } from '../../host-agent/indexing/database-catalogue.ts'
import type { DiscoveryAccess } from '../../host-agent/indexing/discovery.ts'
import { type FileSystem, nodeFileSystem } from '../../host-agent/indexing/file-system.ts'
import { createIndexer, type Indexer, type IndexerOptions } from '../../host-agent/indexing/indexer.ts'
import type { ReadLimits } from '../../host-agent/indexing/read-request.ts'
import { sourceDatabases } from '../../host-agent/indexing/source-database.ts'
import { createTranscriptAccess, type TranscriptAccess } from '../../host-agent/indexing/transcript-access.ts'
import { createInlineSource } from '../../host-agent/indexing/transcript-source.ts'
import type {
  LinesFormat,
  SessionFacts,
  TranscriptFold,
  TranscriptKind,
  TranscriptReader,
} from '../../host-agent/transcripts/reader.ts'
import { createManualClock, type ManualClock } from './manual-clock.ts'

/** One line of a made-up transcript; `note` lines say what the file is and hold no message. */
export interface FakeLine {
  readonly say?: string
  readonly role?: 'user' | 'assistant' | 'tool'
  readonly session?: string
  readonly kind?: TranscriptKind
  readonly atMs?: number
  readonly cwd?: string
  /** Makes the reader itself throw, as a bug in one would. */
  readonly crash?: boolean
  /** Has the fold tell facts that no index can hold. */
  readonly noTitle?: boolean
}

export function linesOf(...lines: readonly FakeLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

interface FoldState {
  kind: TranscriptKind
  session: string
  count: number
  cwd: string | null
  updatedAtMs: number | null
  bad: number
  noTitle: boolean
}

class FakeFold implements TranscriptFold {
  readonly #state: FoldState

  constructor(saved: unknown, name: string) {
    this.#state = (structuredClone(saved) as FoldState | undefined) ?? {
      kind: 'session',
      session: name,
      count: 0,
      cwd: null,
      updatedAtMs: null,
      bad: 0,
      noTitle: false,
    }
  }

  line(text: string, emit: Parameters<TranscriptFold['line']>[1]): void {
    let line: FakeLine
    try {
      line = JSON.parse(text)
    } catch {
      this.#state.bad++
      return
    }
    if (line.crash === true) throw new Error('the reader has a bug')
    this.#state.kind = line.kind ?? this.#state.kind
    this.#state.session = line.session ?? this.#state.session
    this.#state.cwd ??= line.cwd ?? null
    this.#state.updatedAtMs = line.atMs ?? this.#state.updatedAtMs
    this.#state.noTitle ||= line.noTitle ?? false
    if (line.say === undefined) return
    const role = line.role ?? 'user'
    if (role !== 'tool') this.#state.count++
    emit({ role, text: line.say, timestampMs: line.atMs ?? null })
  }

  skipLine(): void {
    this.#state.bad++
  }

  kind(): TranscriptKind {
    return this.#state.kind
  }

  facts(): SessionFacts {
    const { session, count, cwd, updatedAtMs, noTitle } = this.#state
    return {
      sessionId: session,
      title: noTitle ? (null as unknown as string) : `title of ${session}`,
      cwd,
      branch: null,
      createdAtMs: null,
      updatedAtMs,
      messageCount: count,
      resumeCommand: `resume ${session}`,
    }
  }

  unread() {
    return { badLines: this.#state.bad, unknownRecords: 0 }
  }

  save(): unknown {
    return structuredClone(this.#state)
  }
}

const fakeLines: LinesFormat = {
  kind: 'lines',
  open: (file, _beside, saved) =>
    new FakeFold(saved, file.relativePath.replace(/^.*\//, '').replace('.jsonl', '')),
}

/** Reads `*.jsonl`; `*.zst` is what it cannot read. */
export function fakeReader(rootNames: readonly string[] = ['sessions'], agent = 'fake'): TranscriptReader {
  return {
    agent,
    label: 'Fake',
    roots: ({ homeDir }) => rootNames.map((name) => ({ path: join(homeDir, name) })),
    notes: { evidence: 'documentation', variables: [], resume: 'resume ID', remark: '' },
    formatOf: (relativePath) => (relativePath.endsWith('.jsonl') ? fakeLines : null),
    unreadable: (relativePath) => (relativePath.endsWith('.zst') ? 'it is packed' : null),
  }
}

export interface IndexingDesk extends Disposable {
  readonly home: string
  readonly root: string
  readonly indexPath: string
  readonly clock: ManualClock
  /** Writes below the home; `mtimeSec` decides which is newer. @returns the absolute path. */
  write(relativePath: string, content: string | Buffer, mtimeSec?: number): string
  openIndex(): SqlDatabase
  indexer(options?: DeskOptions): Indexer
}

export interface DeskOptions extends Partial<Omit<IndexerOptions, 'indexPath'>> {
  readonly limits?: ReadLimits
}

export function createIndexingDesk(): IndexingDesk {
  const home = mkdtempSync(join(tmpdir(), 'trawl-indexing-'))
  const indexPath = join(home, 'data', 'index.sqlite')
  const clock = createManualClock()
  const driver = loadSqlDriver()
  let ids = 0
  const randomId = () => `id-${++ids}`
  return {
    home,
    root: join(home, 'sessions'),
    indexPath,
    clock,
    write(relativePath, content, mtimeSec) {
      const path = join(home, relativePath)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
      if (mtimeSec !== undefined) utimesSync(path, statSync(path).atime, mtimeSec)
      return path
    },
    openIndex: () => openIndex({ driver, path: indexPath, randomId }).db,
    indexer({ limits, ...overrides } = {}) {
      const readers = overrides.readers ?? [fakeReader()]
      const fileSystem = overrides.fileSystem ?? nodeFileSystem
      return createIndexer({
        driver,
        indexPath,
        randomId,
        readers,
        environment: { homeDir: home, platform: 'linux', env: {} },
        fileSystem,
        openTranscripts: () => createInlineSource(accessTo(fileSystem), readers, limits),
        clock,
        ...overrides,
      })
    },
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  }
}

/** What a test has opened, the last first. */
export async function closeAll(opened: readonly (Disposable | AsyncDisposable)[]): Promise<void> {
  for (const each of opened.toReversed())
    await (Symbol.asyncDispose in each ? each[Symbol.asyncDispose]() : each[Symbol.dispose]())
}

/** How transcripts on this disk are read. */
export function accessTo(fileSystem: FileSystem = nodeFileSystem): TranscriptAccess {
  return createTranscriptAccess(fileSystem, loadSqlDriver)
}

/** How this disk is looked over. */
export function discoveryOf(fileSystem: FileSystem = nodeFileSystem): DiscoveryAccess {
  return { fileSystem, databases: new DatabaseCatalogue(fileSystem, sourceDatabases(loadSqlDriver)) }
}

/** A stamp for tests in which it does not matter. */
export const anyStamp: FileStamp = { device: 1, inode: 1, sizeBytes: 1, mtimeMs: 1, beside: '' }

/** The disk, with some paths in a state that a test cannot make for itself (it may run as root). */
export function diskWith(overrides: Partial<FileSystem>): FileSystem {
  return { ...nodeFileSystem, ...overrides }
}

export function nodeError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code })
}

/** What a search would see: `session: text` of each message that matches, in the order of the rows. */
export function found(db: SqlDatabase, query: string): string[] {
  return db
    .prepare(
      `SELECT s.session_id AS session, m.text AS text FROM messages m JOIN sessions s ON s.id = m.session_row_id
      WHERE m.id IN (SELECT rowid FROM messages_fts WHERE messages_fts MATCH ?) ORDER BY m.id`,
    )
    .all(query)
    .map((row) => `${row.session}: ${row.text}`)
}
