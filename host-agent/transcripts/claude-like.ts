/** What differs between Claude Code and the agents that write their transcripts as it does. */
import type { JsonRecord } from './json-record.ts'
import type { Beside, TranscriptFile } from './reader.ts'

export interface ClaudeLike {
  readonly label: string
  /** The words before the session's id: `claude --resume`. */
  readonly invocation: string
  /** A record of this agent's own in Claude's shape; any other record as it is. */
  translate?(record: JsonRecord): JsonRecord
  /** Types of records, beside Claude's, that say nothing to search for. */
  readonly silentTypes?: ReadonlySet<unknown>
  /** What lies beside the transcript. */
  manifest?(file: TranscriptFile, beside: Beside): ClaudeManifest
}

/** Where the records have a name that a person gave, or a folder, theirs counts. */
export interface ClaudeManifest {
  readonly title: string | null
  readonly cwd: string | null
}
