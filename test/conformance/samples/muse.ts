import { museReader } from '../../../host-agent/transcripts/muse.ts'
import type { ConformanceSample } from '../sample.ts'

const id = '01a00000-0000-7000-8000-000000000011'
const path = `.local/share/muse/sessions/2026/08/20/${id}/session.jsonl`
const record = (second: number, payload: object, type = 'runtime.session') => ({
  schema_version: 1,
  id: `r${second}`,
  stream: { kind: 'session', id },
  recorded_at: (1787200000 + second) * 1_000_000,
  record_type: 'event',
  payload_type: type,
  payload,
})
const event = (second: number, fields: object) =>
  record(second, { kind: 'run', run_id: 'run', event: fields })

export const museSample: ConformanceSample = {
  reader: museReader(),
  write(home) {
    home.write(path, [
      { retained_frame: 'session_permission_transaction', children: [] },
      record(0, { workspace_root: '/work/tower', git_branch: 'bells' }, 'runtime.session.metadata'),
      event(1, { kind: 'started', prompt: 'Ring the tower bells.' }),
      event(2, { kind: 'reasoning_summary_committed', text: 'The ropes come first.' }),
      event(3, {
        kind: 'assistant_tool_calls_committed',
        tool_calls: [{ name: 'bash', args: '{"command":"pull ropes"}' }],
      }),
      event(4, { kind: 'tool_result_batch_committed', results: [{ text: 'four bells sounded' }] }),
      event(5, {
        kind: 'inbox_item_queued',
        source: { source: 'user_steer' },
        payload: { prompt: 'Softer, please.' },
      }),
      event(6, { kind: 'started', prompt: 'Softer, please.' }),
      event(7, { kind: 'model_completed', usage: { input_tokens: 1 } }),
      event(8, { kind: 'assistant_message_committed', text: 'They whisper now.' }),
      event(9, { kind: 'terminal', terminal: 'completed', reason: null }),
    ])
    return { path, appendable: true }
  },
  said: [
    'user: Ring the tower bells.',
    'assistant: The ropes come first.',
    'tool: bash: pull ropes',
    'tool: four bells sounded',
    'user: Softer, please.',
    'assistant: They whisper now.',
  ],
}
