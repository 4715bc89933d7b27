import { jcodeReader } from '../../../host-agent/transcripts/jcode.ts'
import type { ConformanceSample } from '../sample.ts'

const path = '.jcode/sessions/session_heron_1780700000000.json'
const text = (value: string) => [{ type: 'text', text: value }]

const messages = [
  { id: 'm1', role: 'user', content: text('Where do the herons nest?'), timestamp: '2026-06-05T22:53:21Z' },
  {
    id: 'm2',
    role: 'assistant',
    timestamp: '2026-06-05T22:53:25Z',
    content: [
      { type: 'anthropic_thinking', thinking: 'Along the old canal.', signature: 'x' },
      ...text('I check the map.'),
      { type: 'tool_use', id: 'u1', name: 'bash', input: { command: 'find nests' } },
    ],
  },
  {
    id: 'm3',
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'u1', content: 'nine nests by the lock' }],
  },
  { id: 'm4', role: 'user', display_role: 'system', content: text('The session was reloaded') },
]

const said = [
  'user: Where do the herons nest?',
  'assistant: Along the old canal.\nI check the map.',
  'tool: bash: find nests',
  'tool: nine nests by the lock',
  'tool: The session was reloaded',
  'assistant: By the lock, all nine.',
]

export const jcodeSample: ConformanceSample = {
  reader: jcodeReader(),
  write(home) {
    home.write(path, {
      id: 'session_heron_1780700000000',
      parent_id: null,
      title: 'Herons',
      created_at: '2026-06-05T22:53:20Z',
      updated_at: '2026-06-05T22:54:00Z',
      working_dir: '/work/canal',
      messages,
    })
    home.write(path.replace('.json', '.journal.jsonl'), [
      {
        meta: { title: 'Herons' },
        append_messages: [{ id: 'm5', role: 'assistant', content: text('By the lock, all nine.') }],
      },
    ])
    return { path, appendable: false }
  },
  said,
  edit(home) {
    home.write(path.replace('.json', '.journal.jsonl'), [
      {
        meta: { title: 'Herons' },
        append_messages: [{ id: 'm5', role: 'assistant', content: text('By the lock, all nine.') }],
      },
      {
        meta: { title: 'Herons' },
        append_messages: [{ id: 'm6', role: 'user', content: text('Let them be.') }],
      },
    ])
  },
  saidAfter: [...said, 'user: Let them be.'],
}
