import { kiroReader } from '../../../host-agent/transcripts/kiro.ts'
import type { ConformanceSample } from '../sample.ts'

const id = '3c2b0000-0000-4000-8000-00000000000f'
const path = `.kiro/sessions/cli/${id}.jsonl`
const entry = (kind: string, content: readonly object[], meta: object = {}) => ({
  version: 'v1',
  kind,
  data: { message_id: 'm', content, ...meta },
})

export const kiroSample: ConformanceSample = {
  reader: kiroReader(),
  write(home) {
    home.write(`.kiro/sessions/cli/${id}.json`, {
      session_id: id,
      cwd: '/work/bridge',
      title: 'Bridge',
      created_at: '2026-04-05T06:00:00Z',
      updated_at: '2026-04-05T06:30:00Z',
    })
    home.write(path, [
      entry('Prompt', [{ kind: 'text', data: 'Weigh the bridge.' }], { meta: { timestamp: 1775368800 } }),
      entry('AssistantMessage', [
        { kind: 'thinking', data: { text: 'Its parts are listed.' } },
        { kind: 'text', data: 'I add them up.' },
        { kind: 'toolUse', data: { toolUseId: 't1', name: 'shell', input: { command: 'sum parts.csv' } } },
      ]),
      entry('ToolResults', [
        {
          kind: 'toolResult',
          data: {
            toolUseId: 't1',
            content: [{ kind: 'json', data: { exit_status: '0', stdout: 'total 4711 tons', stderr: '' } }],
          },
        },
      ]),
      entry('AssistantMessage', [{ kind: 'text', data: 'A little under five thousand tons.' }]),
    ])
    return { path, appendable: true }
  },
  said: [
    'user: Weigh the bridge.',
    'assistant: Its parts are listed.\nI add them up.',
    'tool: shell: sum parts.csv',
    'tool: total 4711 tons',
    'assistant: A little under five thousand tons.',
  ],
}
