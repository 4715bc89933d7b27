/**
 * The shape every coding agent's transcripts are read into, and the port each agent's file implements.
 * A reader knows formats and nothing of the index; the index knows messages and nothing of formats.
 */
import type { MessageRole } from '../../protocol/session-search/hit.ts'

/** What decides where agents keep their sessions on this machine. Passed in; never read from the process here. */
export interface AgentEnvironment {
  readonly homeDir: string
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A folder that may hold one agent's transcripts. It need not exist. */
export interface TranscriptRoot {
  readonly path: string
  /** Codex only, and only where it is not the default home: goes into hits and resume commands. */
  readonly codexHome?: string
}

/** One transcript file as discovery found it. */
export interface TranscriptFile {
  readonly root: TranscriptRoot
  /** Absolute. */
  readonly path: string
  /** From the root, with `/` between parts on every platform. */
  readonly relativePath: string
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

/** One coding agent. */
export interface TranscriptReader {
  /** The contract's agent name: `claude`, `codex`, … */
  readonly agent: string
  /** For people: `Claude Code`. */
  readonly label: string
  roots(environment: AgentEnvironment): TranscriptRoot[]
  /** Whether a file below a root is one of this agent's transcripts. */
  accepts(relativePath: string): boolean
  /** Why a file that holds a transcript is left unread (a packed one), so that it is counted; null for any other file. */
  unreadable?(relativePath: string): string | null
  /**
   * `saved` is what an earlier fold of the same file returned from `save`; absent, the fold starts at byte 0.
   * Throws `UnknownFoldState` for a state of another version: the caller then reads the file from byte 0.
   */
  open(file: TranscriptFile, saved?: unknown): TranscriptFold
}

/** A saved fold that this version cannot go on from. */
export class UnknownFoldState extends Error {
  override name = 'UnknownFoldState'
}
