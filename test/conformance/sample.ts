/** What each reader brings to the conformance test: one small, complete session, and what is to come of it. */
import type { TranscriptReader } from '../../host-agent/transcripts/reader.ts'
import type { AgentHome } from '../helpers/agent-home.ts'

export interface ConformanceSample {
  readonly reader: TranscriptReader
  /** Writes the session into the home. */
  write(home: AgentHome): WrittenSample
  /** `role: text` of every message, in order, each text like no other in the sample. */
  readonly said: readonly string[]
  /** Adds one message to a document or a database, as its agent would. */
  edit?(home: AgentHome): void
  /** All messages after `edit`. */
  readonly saidAfter?: readonly string[]
}

export interface WrittenSample {
  /** The main file, from the home. */
  readonly path: string
  /** Written line by line: the file may end anywhere and go on later. */
  readonly appendable: boolean
}
