import { openclawReader } from '../../../host-agent/transcripts/openclaw.ts'
import { piAssistant, piEntry, piHead, piMessage, piUser } from '../../helpers/pi-entries.ts'
import type { ConformanceSample } from '../sample.ts'

const path = '.openclaw/agents/main/sessions/harbour-1.jsonl'
const context = 'Conversation info (untrusted metadata):\n```json\n{ "sender": "Ida" }\n```\n\n'

export const openclawSample: ConformanceSample = {
  reader: openclawReader(),
  write(home) {
    home.write(path, [
      piHead('harbour-1'),
      piEntry(1, 'thinking_level_change', { thinkingLevel: 'high' }),
      piEntry(2, 'custom_message', {
        customType: 'openclaw.runtime-context',
        content: 'hidden',
        display: false,
      }),
      piUser(3, `${context}[Wed 2026-03-04 11:00 GMT+1] When does the ferry leave?`),
      piMessage(4, {
        role: 'assistant',
        content: [{ type: 'toolCall', id: 'c1', name: 'timetable', arguments: { query: 'ferry' } }],
      }),
      piMessage(5, { role: 'toolResult', toolCallId: 'c1', content: 'departs 14:20' }),
      piAssistant(6, 'At twenty past two.'),
    ])
    return { path, appendable: true }
  },
  said: [
    'user: When does the ferry leave?',
    'tool: timetable: ferry',
    'tool: departs 14:20',
    'assistant: At twenty past two.',
  ],
}
