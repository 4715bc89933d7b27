/**
 * Finds the folder of an Antigravity conversation in the list of all prompts, `history.jsonl`. Older rows do not name
 * their conversation: they are told by their words and their time.
 */
import { type JsonRecord, parseRecord, stringAt } from './json-record.ts'
import type { Beside } from './reader.ts'
import { recordedPath, titleSource } from './session-names.ts'
import { timestampMs } from './timestamps.ts'

/** A prompt is listed a moment before or after it is recorded. */
const sameMomentMs = 2000

interface ListedPrompt {
  readonly conversationId: string | null
  readonly words: string | null
  readonly atMs: number | null
  readonly folder: string
}

/** @returns null where the list knows no folder, or several that may be it. */
export function antigravityFolder(
  beside: Beside,
  historyPath: string,
  conversation: {
    readonly sessionId: string
    readonly firstWords: string | null
    readonly firstPromptAtMs: number | null
  },
): string | null {
  const prompts = beside.parsed(historyPath, listedPrompts) ?? []
  const { sessionId, firstWords, firstPromptAtMs } = conversation
  const named = prompts.filter(({ conversationId }) => conversationId === sessionId)
  // A conversation begins in one folder; that it later works in another does not move it.
  if (named[0] !== undefined) return named[0].folder
  if (firstWords === null || firstPromptAtMs === null) return null
  const alike = prompts.filter(
    ({ conversationId, words, atMs }) =>
      conversationId === null &&
      words === firstWords &&
      atMs !== null &&
      Math.abs(atMs - firstPromptAtMs) <= sameMomentMs,
  )
  const folders = new Set(alike.map(({ folder }) => folder))
  return folders.size === 1 ? (alike[0]?.folder ?? null) : null
}

function listedPrompts(text: string): readonly ListedPrompt[] {
  const records = text.split('\n').map(parseRecord)
  return records.filter((record) => record !== null).flatMap(listedPrompt)
}

function listedPrompt(record: JsonRecord): readonly ListedPrompt[] {
  const folder = recordedPath(record.workspace)
  if (folder === null) return []
  return [
    {
      conversationId: stringAt(record, 'conversationId'),
      words: titleSource(stringAt(record, 'display') ?? ''),
      atMs: timestampMs(record.timestamp),
      folder,
    },
  ]
}
