/**
 * The shape every coding agent's transcripts are read into, and the port each agent's reader implements.
 * A reader knows formats and nothing of the index; the index knows messages and nothing of formats.
 */
import type { MessageRole } from '../../protocol/session-search/hit.ts'
import type { JsonRecord } from './json-record.ts'

/** What decides where agents keep their sessions on this machine. Passed in; never read from the process here. */
export interface AgentEnvironment {
  readonly homeDir: string
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  /** What stands in a small file, null where it cannot be had: an agent may keep a registry of its projects. */
  readonly textOf?: (path: string) => string | null
}

/** A folder that may hold one agent's transcripts. It need not exist. */
export interface TranscriptRoot {
  readonly path: string
  /** Codex only, and only where it is not the default home: goes into hits and resume commands. */
  readonly codexHome?: string
  /** The project all sessions below belong to, where the agent's registry says so. */
  readonly projectDir?: string
}

/** One transcript file as discovery found it. */
export interface TranscriptFile {
  readonly root: TranscriptRoot
  /** Absolute. */
  readonly path: string
  /** From the root, with `/` between parts on every platform. */
  readonly relativePath: string
  /** Of a session inside a database: `path` is then the database's with `#` and this key behind it. */
  readonly sessionKey?: string
  /** When the file was last written (milliseconds): the time of a session whose records and manifest have none. */
  readonly writtenAtMs?: number
}

/** One message, as a person would count them. */
export interface TranscriptMessage {
  readonly role: MessageRole
  /** User and assistant text in full; tool calls and results as text, which the index cuts. Never empty. */
  readonly text: string
  /** Milliseconds since the epoch, or null where the record has no readable time. */
  readonly timestampMs: number | null
}

/** What is known of a session from the part of its transcript read so far. */
export interface SessionFacts {
  readonly sessionId: string
  readonly title: string
  /** As recorded by the agent, never decoded from a folder's name. */
  readonly cwd: string | null
  readonly branch: string | null
  readonly createdAtMs: number | null
  readonly updatedAtMs: number | null
  /** User and assistant messages; tool rows are not counted. */
  readonly messageCount: number
  /** The agent's own command to go on with this session, or null where it has none. */
  readonly resumeCommand: string | null
  readonly codexHome?: string
}

/**
 * `session`: a session of its own. `part`: a subagent's transcript, searched as part of its parent's session
 * (`facts.sessionId` is the parent's). `none`: not to be searched (a worker's rollout, or nothing of use in it).
 */
export type TranscriptKind = 'session' | 'part' | 'none'

/** What could not be read, for the counts that status shows. */
export interface UnreadCounts {
  /** Lines that are not JSON, or are longer than a line may be. */
  readonly badLines: number
  /** Well-formed records of a type this reader does not know. */
  readonly unknownRecords: number
}

/**
 * Folds the lines of one transcript, in order, into messages and facts.
 * A fold can be saved after any line and resumed later, so that an append costs only what was appended.
 */
export interface TranscriptFold {
  /** One line, without its newline. A line that cannot be read is counted, never thrown. */
  line(text: string, emit: (message: TranscriptMessage) => void): void
  /** A line too long to be decoded was passed over. */
  skipLine(): void
  kind(): TranscriptKind
  facts(): SessionFacts
  unread(): UnreadCounts
  /** A JSON value that `open` takes back. Small: it is stored with each file. */
  save(): unknown
}

/**
 * Looks at what lies beside a transcript: a manifest, an index of titles. All of it is untrusted and may be missing;
 * what is not there, may not be read or is larger than 16 MiB is null or empty, never an error.
 */
export interface Beside {
  text(path: string): string | null
  /** As `text`, parsed once for all transcripts that share the file, for as long as it stays the same. */
  parsed<T>(path: string, parse: (text: string) => T): T | null
  /** Names in a folder, in order. */
  list(folder: string): readonly string[]
  /** Rows of a database beside the transcript; none where it, its table or its column is missing. */
  rows(databasePath: string, sql: string, ...values: readonly (string | number)[]): readonly JsonRecord[]
}

/** A transcript that grows line by line (JSON Lines, Markdown): an append costs only what was appended. */
export interface LinesFormat {
  readonly kind: 'lines'
  /**
   * `saved` is what an earlier fold of the same file returned from `save`; absent, the fold starts at byte 0.
   * Throws `UnknownFoldState` for a state of another version: the caller then reads the file from byte 0.
   */
  open(file: TranscriptFile, beside: Beside, saved?: unknown): TranscriptFold
}

/** A session read whole, its messages in order. */
export interface WholeTranscript {
  readonly kind: TranscriptKind
  readonly facts: SessionFacts
  readonly messages: readonly TranscriptMessage[]
  readonly unread: UnreadCounts
}

/** A transcript that is written anew each time (one JSON document), or packed. Larger than 64 MiB it is left unread. */
export interface DocumentFormat {
  readonly kind: 'document'
  /** Throws where the document cannot be read as a whole: it is then a failed file, with the error's message. */
  read(file: TranscriptFile, beside: Beside, bytes: Buffer): WholeTranscript
}

/** An agent's own database, opened read-only. Every call is one short read that holds up no writer. */
export interface SourceDatabase {
  rows(sql: string, ...values: readonly (string | number)[]): readonly JsonRecord[]
  /** The columns of a table, none where there is no such table. */
  columns(table: string): ReadonlySet<string>
}

export interface DatabaseSession {
  /** What `read` finds it by; stays the same for the session's life. */
  readonly key: string
  /** Milliseconds since the epoch; with `size` it tells one state of the session from the next. */
  readonly updatedAtMs: number
  /** Anything that moves when something was added: rows, or bytes where they are cheap to know. */
  readonly size: number
}

/** Many sessions in one SQLite file. */
export interface DatabaseFormat {
  readonly kind: 'database'
  /** Called when the database or its write-ahead log has changed: must be cheap (no message texts). */
  sessions(database: SourceDatabase): readonly DatabaseSession[]
  /** `file.sessionKey` says which. Throws where the session cannot be read as a whole. */
  read(file: TranscriptFile, beside: Beside, database: SourceDatabase): WholeTranscript
}

export type TranscriptFormat = LinesFormat | DocumentFormat | DatabaseFormat

/** What the README's table says of an agent beside its roots. */
export interface AgentNotes {
  /** `sample`: checked against public transcripts. `documentation`: written from recorded facts alone. */
  readonly evidence: 'sample' | 'documentation'
  /** Variables that move its roots. */
  readonly variables: readonly string[]
  /** How its sessions are gone on with, `ID` in the id's place; null where there is no command for it. */
  readonly resume: string | null
  /** One short sentence on what is special (subagents, forks, packed files); may be empty. */
  readonly remark: string
}

/** One coding agent. */
export interface TranscriptReader {
  /** The contract's agent name: `claude`, `codex`, … */
  readonly agent: string
  /** For people: `Claude Code`. */
  readonly label: string
  readonly notes: AgentNotes
  roots(environment: AgentEnvironment): TranscriptRoot[]
  /** Whether a folder below a root can hold transcripts; absent, all can. Keeps large other folders out of the walk. */
  enters?(relativePath: string): boolean
  /** How a file below a root is read; null where it is no transcript. Answers the same for the same path. */
  formatOf(relativePath: string): TranscriptFormat | null
  /** Why a file that holds a transcript is left unread (a packed one), so that it is counted; null for any other file. */
  unreadable?(relativePath: string): string | null
  /** Absolute paths of files of this session alone, whose change makes it due (a manifest with its title). */
  companions?(file: TranscriptFile): readonly string[]
}

/** A saved fold that this version cannot go on from. */
export class UnknownFoldState extends Error {
  override name = 'UnknownFoldState'
}
