/** Claude Code records and what a file of them reads as, for the tests of the Claude Code reader. */
import { claudeReader } from '../../host-agent/transcripts/claude.ts'
import { foldTranscript, type ReadTranscript, transcriptFile } from './fold-transcript.ts'

export const sessionId = '11111111-2222-4333-8444-555555555555'
export const mainPath = `-home-dev-app/${sessionId}.jsonl`
export const startMs = Date.parse('2026-01-02T03:00:00.000Z')

/** A record of this session, `second` seconds after its start. */
export function record(second: number, fields: object): object {
  return {
    sessionId,
    uuid: `uuid-${second}`,
    timestamp: new Date(startMs + second * 1000).toISOString(),
    cwd: '/home/dev/app',
    gitBranch: 'main',
    isSidechain: false,
    ...fields,
  }
}

export const user = (second: number, content: unknown, fields: object = {}) =>
  record(second, { type: 'user', message: { role: 'user', content }, ...fields })

export const assistant = (second: number, id: string, content: unknown, fields: object = {}) =>
  record(second, { type: 'assistant', message: { role: 'assistant', id, content }, ...fields })

export const textBlock = (value: string) => ({ type: 'text', text: value })

export function readClaude(records: readonly (string | object)[], relativePath = mainPath): ReadTranscript {
  return foldTranscript(claudeReader(), transcriptFile(relativePath), records)
}
