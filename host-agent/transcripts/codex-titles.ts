/** The names that Codex keeps of its threads in one file for all: `<home>/session_index.jsonl`, the newest last. */
import { parseRecord, stringAt } from './json-record.ts'
import { neighbourPath } from './neighbour-path.ts'
import type { Beside, TranscriptFile } from './reader.ts'
import { titleSource } from './session-names.ts'

export function codexIndexTitle(file: TranscriptFile, beside: Beside, id: string): string | null {
  // `sessions` and `archived_sessions` both lie in the home.
  return beside.parsed(neighbourPath(file.root.path, 'session_index.jsonl'), titlesIn)?.get(id) ?? null
}

function titlesIn(text: string): ReadonlyMap<string, string> {
  const titles = new Map<string, string>()
  for (const line of text.split('\n')) {
    const record = line === '' ? null : parseRecord(line)
    const id = record === null ? null : stringAt(record, 'id')
    const title = record === null ? null : titleSource(stringAt(record, 'thread_name') ?? '')
    if (id !== null && title !== null) titles.set(id, title)
  }
  return titles
}
