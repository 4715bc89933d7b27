import { ampReader } from '../../../host-agent/transcripts/amp.ts'
import type { AgentHome } from '../../helpers/agent-home.ts'
import type { ConformanceSample } from '../sample.ts'

const id = 'T-4d000000-0000-4000-8000-000000000010'
const path = `.local/share/amp/threads/${id}.json`

const messages = [
  { role: 'user', content: [{ type: 'text', text: 'Sort the seashells.' }], meta: { sentAt: 1780600001000 } },
  {
    role: 'assistant',
    usage: { timestamp: '2026-06-04T19:06:42Z' },
    content: [
      { type: 'thinking', thinking: 'By size or by colour?' },
      { type: 'text', text: 'I start with the colours.' },
      { type: 'tool_use', id: 'a1', name: 'Bash', input: { cmd: 'ls shells' } },
    ],
  },
  {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        toolUseID: 'a1',
        run: { status: 'done', result: { output: 'pink.jpg white.jpg', exitCode: 0 } },
      },
    ],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'Two heaps: pink and white.' }] },
]

function write(home: AgentHome, list: readonly object[]): void {
  const trees = [{ uri: 'file:///work/beach', displayName: 'beach', repository: { ref: 'refs/heads/tide' } }]
  home.write(path, {
    v: 1,
    id,
    created: 1780600000000,
    title: 'Shells',
    messages: list,
    env: { initial: { trees } },
  })
}

const said = [
  'user: Sort the seashells.',
  'assistant: By size or by colour?\nI start with the colours.',
  'tool: Bash: ls shells',
  'tool: pink.jpg white.jpg',
  'assistant: Two heaps: pink and white.',
]

export const ampSample: ConformanceSample = {
  reader: ampReader(),
  write(home) {
    write(home, messages)
    return { path, appendable: false }
  },
  said,
  edit: (home) => write(home, [...messages, { role: 'user', content: 'Now by size.' }]),
  saidAfter: [...said, 'user: Now by size.'],
}
