/** Reads a transcript given as records, for the tests of the readers. */
import type {
  Beside,
  SessionFacts,
  TranscriptFile,
  TranscriptFold,
  TranscriptKind,
  TranscriptMessage,
  TranscriptReader,
  UnreadCounts,
} from '../../host-agent/transcripts/reader.ts'

export interface ReadTranscript {
  readonly messages: TranscriptMessage[]
  readonly facts: SessionFacts
  readonly kind: TranscriptKind
  readonly unread: UnreadCounts
}

export function transcriptFile(relativePath: string, rootPath = '/home/dev/root'): TranscriptFile {
  return { root: { path: rootPath }, path: `${rootPath}/${relativePath}`, relativePath }
}

/** For transcripts that nothing lies beside. */
export const nothingBeside: Beside = { text: () => null, parsed: () => null, list: () => [], rows: () => [] }

/** The fold of a transcript that is read line by line. @param saved as `LinesFormat.open` takes it. */
export function openFold(reader: TranscriptReader, file: TranscriptFile, saved?: unknown): TranscriptFold {
  const format = reader.formatOf(file.relativePath)
  if (format?.kind !== 'lines') throw new Error(`${file.relativePath} is not read line by line`)
  return format.open(file, nothingBeside, saved)
}

/** Objects are written as JSON, strings are lines as they stand. */
export function foldTranscript(
  reader: TranscriptReader,
  file: TranscriptFile,
  records: readonly (string | object)[],
): ReadTranscript {
  const messages: TranscriptMessage[] = []
  const fold = openFold(reader, file)
  for (const record of records) fold.line(lineOf(record), (message) => messages.push(message))
  return { messages, facts: fold.facts(), kind: fold.kind(), unread: fold.unread() }
}

function lineOf(record: string | object): string {
  return typeof record === 'string' ? record : JSON.stringify(record)
}

/** `role: text` for each message, for tests that are not about times. */
export function spoken(read: ReadTranscript): string[] {
  return read.messages.map(({ role, text }) => `${role}: ${text}`)
}
