/**
 * When the messages of a Grok session were said. Its history has no times; the log of updates beside it has, for the
 * same texts in pieces and for the same calls by their ids.
 */
import { asRecord, type JsonRecord, parseRecord, recordAt, stringAt } from './json-record.ts'
import { keyOf } from './recent-keys.ts'
import { timestampMs } from './timestamps.ts'

/** Times in milliseconds, in the order of the log. */
export interface GrokTimes {
  /** @returns the first time the text was said at or after a time; null where the log does not have it. */
  said(text: string, fromMs: number): number | null
  called(callId: string): number | null
  answered(callId: string): number | null
}

/** @param text the log, `updates.jsonl`. For `Beside.parsed`: it keeps no text. */
export function grokTimes(text: string): GrokTimes {
  const times = new Map<number, number[]>()
  const calls = new Map<string, number>()
  const answers = new Map<string, number>()
  let kind = ''
  let pieces: string[] = []
  let firstMs: number | null = null
  const close = (): void => {
    const said = pieces.join('').trim()
    const key = keyOf(said)
    if (firstMs !== null && said !== '') times.set(key, [...(times.get(key) ?? []), firstMs])
    pieces = []
    firstMs = null
  }
  for (const line of text.split('\n')) {
    const record = parseRecord(line)
    const update = record === null ? null : updateOf(record)
    if (record === null || update === null) continue
    const atMs = timestampMs(record.timestamp)
    const updateKind = stringAt(update, 'sessionUpdate') ?? ''
    const callId = stringAt(update, 'toolCallId')
    if (pieceKinds.has(updateKind)) {
      if (updateKind !== kind) close()
      firstMs ??= atMs
      pieces.push(stringAt(recordAt(update, 'content'), 'text') ?? '')
    } else if (updateKind === 'tool_call' || updateKind === 'tool_call_update') {
      close()
      const isEnd = update.status === 'completed' || update.status === 'failed'
      const into = updateKind === 'tool_call' ? calls : isEnd ? answers : null
      if (callId !== null && atMs !== null) into?.set(callId, atMs)
    }
    kind = updateKind
  }
  close()
  return {
    said: (words, fromMs) => times.get(keyOf(words.trim()))?.find((atMs) => atMs >= fromMs) ?? null,
    called: (callId) => calls.get(callId) ?? null,
    answered: (callId) => answers.get(callId) ?? null,
  }
}

/** One message comes in as many of these as it was streamed in. */
const pieceKinds = new Set(['user_message_chunk', 'agent_message_chunk', 'agent_thought_chunk'])

function updateOf(record: JsonRecord): JsonRecord | null {
  return asRecord(recordAt(record, 'params').update) ?? asRecord(record.update)
}
