import { droidReader } from '../../../host-agent/transcripts/droid.ts'
import type { ConformanceSample } from '../sample.ts'

const path = '.factory/sessions/-home-dev-app/7d1f0b1e-0000-4000-8000-000000000001.jsonl'
const message = (second: number, role: string, content: unknown) => ({
  type: 'message',
  id: `m${second}`,
  timestamp: new Date(Date.UTC(2026, 2, 4, 10, 0, second)).toISOString(),
  message: { role, content },
})
const text = (value: string) => [{ type: 'text', text: value }]

export const droidSample: ConformanceSample = {
  reader: droidReader(),
  write(home) {
    home.write(path, [
      {
        type: 'session_start',
        id: '7d1f0b1e-0000-4000-8000-000000000001',
        title: 'Loom threads',
        cwd: '/home/dev/app',
        version: 2,
      },
      message(
        1,
        'user',
        text('<system-reminder>\nBe brief.\n</system-reminder>\n\nWhy does the loom tangle?'),
      ),
      message(2, 'assistant', [
        { type: 'thinking', thinking: 'The shuttle may be bent.', signature: 's' },
        { type: 'redacted_thinking', data: 'xx' },
        { type: 'text', text: 'Checking the shuttle.' },
        { type: 'tool_use', id: 't1', name: 'Execute', input: { command: 'cat shuttle.log' } },
      ]),
      message(3, 'user', [{ type: 'tool_result', tool_use_id: 't1', content: 'bent by 3 mm' }]),
      { type: 'todo_state', id: 'd1', timestamp: '2026-03-04T10:00:04Z', todos: {} },
      {
        type: 'compaction_state',
        id: 'k1',
        timestamp: '2026-03-04T10:00:05Z',
        summaryText: 'So far: a bent shuttle.',
      },
      message(6, 'assistant', text('Straighten it – naïve rethreading fails. 把梭子弄直。')),
    ])
    return { path, appendable: true }
  },
  said: [
    'user: Why does the loom tangle?',
    'assistant: The shuttle may be bent.\nChecking the shuttle.',
    'tool: Execute: cat shuttle.log',
    'tool: bent by 3 mm',
    'tool: So far: a bent shuttle.',
    'assistant: Straighten it – naïve rethreading fails. 把梭子弄直。',
  ],
}
