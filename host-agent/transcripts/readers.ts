/** The coding agents whose sessions are read. Who adds one adds a file and a line here. */
import { claudeReader } from './claude.ts'
import { codexReader } from './codex.ts'
import type { TranscriptReader } from './reader.ts'

export function transcriptReaders(): readonly TranscriptReader[] {
  return [claudeReader(), codexReader()]
}

/** The reader for a contract agent name, undefined for an agent that is not read. */
export function readerFor(agent: string): TranscriptReader | undefined {
  return transcriptReaders().find((reader) => reader.agent === agent)
}
