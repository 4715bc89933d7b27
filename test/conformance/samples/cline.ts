import { clineReader } from '../../../host-agent/transcripts/cline.ts'
import type { AgentHome } from '../../helpers/agent-home.ts'
import type { ConformanceSample } from '../sample.ts'

const id = '1780300000000_abcde'
const folder = `.cline/data/sessions/${id}`
const path = `${folder}/${id}.messages.json`

const messages = [
  {
    role: 'user',
    ts: 1780300001000,
    content: [{ type: 'text', text: '<user_input mode="act">Tune the piano strings.</user_input>' }],
  },
  {
    role: 'assistant',
    ts: 1780300002000,
    content: [
      { type: 'thinking', thinking: 'First the pitch of each.' },
      { type: 'text', text: 'I measure them.' },
      { type: 'tool_use', id: 't1', name: 'run_commands', input: { commands: ['measure --all'] } },
    ],
  },
  {
    role: 'user',
    ts: 1780300003000,
    content: [{ type: 'tool_result', tool_use_id: 't1', content: 'string nine is flat by four cents' }],
  },
  {
    role: 'user',
    ts: 1780300004000,
    metadata: { kind: 'compaction', displayRole: 'system' },
    content: [{ type: 'text', text: 'The strings so far, in short' }],
  },
  { role: 'assistant', ts: 1780300005000, content: 'Only the ninth needs a turn.' },
]

function write(home: AgentHome, list: readonly object[]): void {
  home.write(path, { version: 1, sessionId: id, updated_at: '2026-06-01T07:47:00Z', messages: list })
}

const said = [
  'user: Tune the piano strings.',
  'assistant: First the pitch of each.\nI measure them.',
  'tool: run_commands: {"commands":["measure --all"]}',
  'tool: string nine is flat by four cents',
  'tool: The strings so far, in short',
  'assistant: Only the ninth needs a turn.',
]

export const clineSample: ConformanceSample = {
  reader: clineReader(),
  write(home) {
    home.write(`${folder}/${id}.json`, {
      version: 1,
      session_id: id,
      cwd: '/work/piano',
      started_at: '2026-06-01T07:46:40Z',
      metadata: { title: 'Piano' },
    })
    write(home, messages)
    return { path, appendable: false }
  },
  said,
  edit: (home) => write(home, [...messages, { role: 'user', ts: 1780300006000, content: 'Turn it, then.' }]),
  saidAfter: [...said, 'user: Turn it, then.'],
}
