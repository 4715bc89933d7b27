import { devinReader } from '../../../host-agent/transcripts/devin.ts'
import type { AgentHome } from '../../helpers/agent-home.ts'
import type { ConformanceSample } from '../sample.ts'

const path = '.local/share/devin/cli/transcripts/s.json'
const said = [
  'tool: You mend fences.',
  'user: Why does the gate sag?',
  'assistant: A loose hinge, perhaps.\nI look at the post.',
  'tool: shell: post --plumb',
  'tool: leans by 4 degrees',
  'assistant: Brace it.',
]

const steps: object[] = [
  { step_id: 1, source: 'system', message: 'You mend fences.' },
  { step_id: 2, source: 'user', message: 'Why does the gate sag?', timestamp: '2026-03-01T09:00:01Z' },
  {
    step_id: 3,
    source: 'agent',
    message: 'I look at the post.',
    reasoning_content: 'A loose hinge, perhaps.',
    tool_calls: [{ tool_call_id: 'c', function_name: 'shell', arguments: { command: 'post --plumb' } }],
    observation: { results: [{ source_call_id: 'c', content: 'leans by 4 degrees' }] },
  },
  { step_id: 4, source: 'agent', message: 'Brace it.' },
]

const write = (home: AgentHome, done: readonly object[]): void => {
  home.write(path, { schema_version: 'ATIF-v1.7', session_id: 's', agent: { name: 'devin' }, steps: done })
}

export const devinSample: ConformanceSample = {
  reader: devinReader(),
  write(home) {
    write(home, steps)
    return { path, appendable: false }
  },
  said,
  edit: (home) => write(home, [...steps, { step_id: 5, source: 'user', message: 'It swings true.' }]),
  saidAfter: [...said, 'user: It swings true.'],
}
