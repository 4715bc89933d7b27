/** Whatever JSON lies in a transcript, a reader reads on: what it holds is other programs', and may be anything. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nothingBeside, transcriptFile } from '../../test/helpers/fold-transcript.ts'
import { ampReader } from './amp.ts'
import { antigravityReader } from './antigravity.ts'
import { clineReader } from './cline.ts'
import { copilotChatReader } from './copilot-chat.ts'
import { geminiReader } from './gemini.ts'
import { grokReader } from './grok.ts'
import { jcodeReader } from './jcode.ts'
import { kimiReader } from './kimi.ts'
import { kiroReader } from './kiro.ts'
import { museReader } from './muse.ts'
import type { TranscriptReader } from './reader.ts'
import { rooReader } from './roo.ts'
import { rovoReader } from './rovo.ts'

const muse = '2026/08/20/s/session.jsonl'

/** A reader, the path of a transcript of its, and the words its records are made of. */
const cases: readonly (readonly [TranscriptReader, string, string])[] = [
  [
    ampReader(),
    'T-1.json',
    'messages role user assistant content type text tool_use tool_result run result input env initial trees uri meta traces usage',
  ],
  [
    antigravityReader(),
    'a/.system_generated/logs/transcript.jsonl',
    'source USER_EXPLICIT MODEL type USER_INPUT PLANNER_RESPONSE CHECKPOINT content tool_calls name args thinking',
  ],
  [
    clineReader(),
    's/s.messages.json',
    'messages role user assistant content type text tool_use tool_result metadata displayRole system',
  ],
  [
    rooReader(),
    't/ui_messages.json',
    'type say ask text tool command followup use_mcp_server browser_action_result condense_context contextCondense reasoning user_feedback ts',
  ],
  [
    rooReader(),
    't/api_conversation_history.json',
    'role user assistant content type text tool_use tool_result reasoning isSummary',
  ],
  [
    copilotChatReader(),
    'w/chatSessions/c.json',
    'requests message text response kind value toolInvocationSerialized toolId toolSpecificData resultDetails output inlineReference thinking result',
  ],
  [copilotChatReader(), 'w/chatSessions/c.jsonl', 'kind k v i requests message text response value thinking'],
  [
    geminiReader(),
    'p/chats/session-1.json',
    'sessionId messages history type user gemini content parts text thoughts toolCalls result functionResponse response displayContent',
  ],
  [
    geminiReader(),
    'p/chats/session-1.jsonl',
    'sessionId $set $rewindTo messages id type user gemini content toolCalls',
  ],
  [
    grokReader(),
    '%2Fw/g/chat_history.jsonl',
    'type user assistant reasoning summary tool_result backend_tool_call kind action content text tool_calls function name arguments',
  ],
  [
    jcodeReader(),
    'session_1.json',
    'id parent_id messages role user assistant content type text anthropic_thinking open_ai_reasoning summary tool_use display_role',
  ],
  [
    kimiReader(),
    'w/s/agents/main/wire.jsonl',
    'type context.append_message context.append_loop_event context.undo count context.clear forked message role user content origin kind event content.part part text tool.call tool.result result payload TurnBegin user_input',
  ],
  [
    kiroReader(),
    'k.jsonl',
    'kind Prompt AssistantMessage ToolResults data content text toolUse toolResult name input meta timestamp',
  ],
  [
    museReader(),
    muse,
    'payload_type runtime.session payload kind run event started prompt inbox_item_queued source user_steer assistant_tool_calls_committed tool_calls results record',
  ],
  [
    rovoReader(),
    'r/session_context.json',
    'message_history messages kind parts part_kind user-prompt tool-call tool-return text thinking content role user timestamp args',
  ],
]

/** Nested values of these words, of other texts, of numbers, lists and null. */
function oddValue(words: readonly string[]): fc.Arbitrary<unknown> {
  const word = fc.constantFrom(...words)
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      fc.oneof(
        word,
        fc.constantFrom<unknown>(null, true, 0, -1, 1e12, '', '<system-reminder>', '{"a":1}'),
        fc.string({ maxLength: 8 }),
      ),
      fc.dictionary(word, tie('value'), { maxKeys: 5 }),
      fc.array(tie('value'), { maxLength: 4 }),
    ),
  }))
  return value
}

function readOdd(reader: TranscriptReader, relativePath: string, values: readonly unknown[]): void {
  const file = transcriptFile(relativePath)
  const format = reader.formatOf(relativePath)
  if (format === null || format.kind === 'database') throw new Error(`${relativePath} is not read`)
  if (format.kind === 'lines') {
    const fold = format.open(file, nothingBeside)
    for (const value of values)
      fold.line(JSON.stringify(value), ({ text }) => expect(text.trim()).not.toBe(''))
    expect(fold.facts().title).not.toBe('')
    return
  }
  const text = relativePath.endsWith('l')
    ? values.map((value) => `${JSON.stringify(value)}\n`).join('')
    : JSON.stringify(values[0] ?? null)
  try {
    const { messages, facts } = format.read(file, nothingBeside, Buffer.from(text))
    for (const message of messages) expect(message.text.trim()).not.toBe('')
    expect(facts.title).not.toBe('')
  } catch (error) {
    // A whole document may be of the wrong shape; nothing within one may make it unreadable.
    expect(error).toMatchObject({ message: expect.stringMatching(/^The document (?:is not|holds no)/) })
  }
}

describe.each(cases.map((one) => [one[0].agent, ...one] as const))('%s', (_, reader, relativePath, words) => {
  it(`reads on whatever lies in ${relativePath}`, () => {
    const listed = words.split(' ')
    fc.assert(
      fc.property(fc.array(oddValue(listed), { maxLength: 6 }), fc.boolean(), (values, framed) => {
        // Half of the time the outermost shape is right, so that the odd values are met further within.
        const [outer = 'messages'] = listed.filter((word) =>
          /^(?:messages|requests|message_history)$/.test(word),
        )
        const document =
          relativePath.includes('/t') || relativePath.startsWith('t/') ? values : { [outer]: values }
        readOdd(reader, relativePath, framed && relativePath.endsWith('.json') ? [document] : values)
      }),
      { numRuns: 60 },
    )
  })
})
