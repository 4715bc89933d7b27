/** Codex records and what a file of them reads as, for the tests of the Codex reader. */
import { codexReader } from '../../host-agent/transcripts/codex.ts'
import { foldTranscript, type ReadTranscript, transcriptFile } from './fold-transcript.ts'

export const startMs = Date.parse('2026-02-03T10:00:00.000Z')
export const sessionId = uuidV7(startMs, 1)
export const rolloutPath = `2026/02/03/rollout-2026-02-03T10-00-00-${sessionId}.jsonl`

export function uuidV7(atMs: number, tail: number): string {
  const hex = atMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(tail).padStart(12, '0')}`
}

export function line(second: number, type: string, payload: object): object {
  return { timestamp: new Date(startMs + second * 1000).toISOString(), type, payload }
}

export const meta = (fields: object = {}, second = 0) =>
  line(second, 'session_meta', {
    id: sessionId,
    timestamp: new Date(startMs).toISOString(),
    cwd: '/home/dev/app',
    source: 'cli',
    git: { branch: 'main' },
    ...fields,
  })

export const event = (second: number, type: string, fields: object = {}) =>
  line(second, 'event_msg', { type, ...fields })
export const item = (second: number, type: string, fields: object = {}) =>
  line(second, 'response_item', { type, ...fields })
export const completed = (second: number, type: string, fields: object = {}) =>
  event(second, 'item_completed', { item: { type, ...fields } })
export const userItem = (second: number, ...texts: string[]) =>
  item(second, 'message', { role: 'user', content: texts.map((text) => ({ type: 'input_text', text })) })
export const agentItem = (second: number, ...texts: string[]) =>
  item(second, 'message', {
    role: 'assistant',
    content: texts.map((text) => ({ type: 'output_text', text })),
  })
export const userEvent = (second: number, message: string) =>
  event(second, 'user_message', { message, images: [] })
export const agentEvent = (second: number, message: string) => event(second, 'agent_message', { message })

export function readCodex(records: readonly (string | object)[], relativePath = rolloutPath): ReadTranscript {
  return foldTranscript(codexReader(), transcriptFile(relativePath), records)
}
