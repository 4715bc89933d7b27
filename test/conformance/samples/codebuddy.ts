import { codebuddyReader } from '../../../host-agent/transcripts/codebuddy.ts'
import { buddyPath, buddyRecord } from '../../helpers/codebuddy-records.ts'
import type { ConformanceSample } from '../sample.ts'

export const codebuddySample: ConformanceSample = {
  reader: codebuddyReader(),
  write(home) {
    home.write(buddyPath, [
      buddyRecord(0, 'message', {
        role: 'user',
        content: [{ type: 'input_text', text: 'Who winds the tower clock?' }],
      }),
      buddyRecord(1, 'reasoning', {
        rawContent: [{ type: 'reasoning_text', text: 'There is a duty list.' }],
        providerData: { messageId: 'r1' },
      }),
      buddyRecord(2, 'function_call', {
        callId: 'c1',
        name: 'Read',
        arguments: '{"file_path":"duties.md"}',
        providerData: { messageId: 'r1' },
      }),
      buddyRecord(3, 'function_call_result', {
        callId: 'c1',
        name: 'Read',
        output: { type: 'text', text: 'clock: the baker' },
        status: 'completed',
      }),
      buddyRecord(4, 'topic', { topic: 'Tower clock' }),
      buddyRecord(5, 'file-history-snapshot', { snapshot: {} }),
      buddyRecord(6, 'message', {
        role: 'assistant',
        content: [{ type: 'output_text', text: 'The baker does.' }],
      }),
    ])
    return { path: buddyPath, appendable: true }
  },
  said: [
    'user: Who winds the tower clock?',
    'assistant: There is a duty list.',
    'tool: Read: duties.md',
    'tool: clock: the baker',
    'assistant: The baker does.',
  ],
}
