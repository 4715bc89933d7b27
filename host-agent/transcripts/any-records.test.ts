/** Records of any shape: nothing a transcript holds makes its reader throw, or say what it should not. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nothingBeside, transcriptFile } from '../../test/helpers/fold-transcript.ts'
import { codebuddyReader } from './codebuddy.ts'
import { copilotReader } from './copilot.ts'
import { cursorReader } from './cursor.ts'
import { droidReader } from './droid.ts'
import { ompReader } from './omp.ts'
import { openclawReader } from './openclaw.ts'
import { piReader } from './pi.ts'
import { primeAgentReader } from './prime-agent.ts'
import { qoderReader } from './qoder.ts'
import { qwenReader } from './qwen.ts'
import type { SessionFacts, TranscriptFile, TranscriptMessage, TranscriptReader } from './reader.ts'

/** Types, keys and words that some reader looks for. */
const types = [
  [
    'session',
    'message',
    'custom_message',
    'compaction',
    'session_info',
    'title',
    'title_change',
    'git_state',
  ],
  ['session_start', 'system', 'tool_call', 'tool_result', 'completion', 'compaction_state'],
  [
    'user',
    'assistant',
    'function_call',
    'function_call_result',
    'reasoning',
    'topic',
    'ai-title',
    'attachment',
  ],
  ['session.start', 'session.info', 'user.message', 'assistant.message', 'assistant.reasoning'],
  ['tool.execution_start', 'tool.execution_complete', 'session.error', 'session.context_changed', 'odd'],
].flat()
const keys = [
  ['id', 'uuid', 'parentUuid', 'parentId', 'sessionId', 'cwd', 'timestamp', 'title', 'name', 'source', 'git'],
  [
    'message',
    'content',
    'text',
    'data',
    'context',
    'toolRequests',
    'toolCallId',
    'arguments',
    'result',
    'error',
  ],
  [
    'parts',
    'functionCall',
    'functionResponse',
    'response',
    'systemPayload',
    'subtype',
    'customTitle',
    'thought',
  ],
  ['summary', 'files', 'command', 'output', 'parentSession', 'callingSessionId', 'finalText', 'providerData'],
].flat()
const roles = ['user', 'assistant', 'toolResult', 'bashExecution', 'fileMention', 'custom', 'system', 'odd']

const word = fc.constantFrom(
  'yes',
  '',
  '   ',
  '<system-reminder>x</system-reminder>',
  '/a/b',
  '2026-01-02T03:04:05Z',
)
const { value } = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    word,
    fc.constantFrom(null, true, 7, -1, 1_772_618_400_000, 1e300),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc
    .tuple(
      fc.constantFrom(...types, 'text', 'thinking', 'tool_use', 'toolCall', 'tool_result'),
      fc.constantFrom(...roles),
      fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 5 }),
    )
    .map(([type, role, rest]) => ({ type, role, ...rest })),
}))
const line = fc.oneof(
  { weight: 9, arbitrary: value.map((any) => JSON.stringify(any)) },
  { weight: 1, arbitrary: fc.constantFrom('{"torn', '', '7', '[]', '{}{"a":1}', '\0\0{}') },
)

interface Told {
  readonly messages: readonly TranscriptMessage[]
  readonly facts: SessionFacts
}

function read(reader: TranscriptReader, file: TranscriptFile, lines: readonly string[]): Told {
  const format = reader.formatOf(file.relativePath)
  if (format?.kind === 'document') {
    const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''))
    return format.read(file, nothingBeside, bytes)
  }
  if (format?.kind !== 'lines') throw new Error(`${file.relativePath} is no transcript`)
  const messages: TranscriptMessage[] = []
  let fold = format.open(file, nothingBeside)
  for (const text of lines) {
    fold.line(text, (message) => messages.push(message))
    // What is stored with a file opens again, whatever came before.
    fold = format.open(file, nothingBeside, JSON.parse(JSON.stringify(fold.save())))
  }
  return { messages, facts: fold.facts() }
}

const places: readonly (readonly [TranscriptReader, string])[] = [
  [piReader(), 'p/a.jsonl'],
  [ompReader(), 'p/2026-01-01_s/Scout.jsonl'],
  [primeAgentReader(), 'a.jsonl'],
  [openclawReader(), 'main/sessions/a.jsonl'],
  [droidReader(), 'p/a.jsonl'],
  [qwenReader(), 'p/chats/a.jsonl'],
  [qoderReader(), 'p/a.jsonl'],
  [codebuddyReader(), 'p/a.jsonl'],
  [cursorReader(), 'p/agent-transcripts/a.jsonl'],
  [copilotReader(), 'a/events.jsonl'],
]

describe('readers', () => {
  it.each(places.map(([reader, path]) => [reader.agent, reader, path] as const))(
    'survive any records as %s writes them',
    (_agent, reader, path) => {
      fc.assert(
        fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
          const { messages, facts } = read(reader, transcriptFile(path), lines)
          for (const { text, timestampMs } of messages) {
            expect(text.trim()).not.toBe('')
            expect(timestampMs === null || Number.isSafeInteger(timestampMs)).toBe(true)
          }
          expect(facts.sessionId).not.toBe('')
          expect(facts.title.trim()).not.toBe('')
          expect(facts.messageCount).toBeGreaterThanOrEqual(0)
          const spoken = messages.filter(({ role }) => role !== 'tool')
          expect(facts.messageCount).toBeLessThanOrEqual(spoken.length)
        }),
        { numRuns: 25 },
      )
    },
  )
})
