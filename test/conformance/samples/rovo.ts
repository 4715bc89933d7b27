import { rovoReader } from '../../../host-agent/transcripts/rovo.ts'
import type { AgentHome } from '../../helpers/agent-home.ts'
import type { ConformanceSample } from '../sample.ts'

const folder = '.rovodev/sessions/5e3a0000-0000-4000-8000-00000000000b'
const path = `${folder}/session_context.json`
const request = (second: number, ...parts: readonly object[]) => ({
  kind: 'request',
  timestamp: `2026-03-04T05:06:0${second}Z`,
  parts,
})
const response = (second: number, ...parts: readonly object[]) => ({
  ...request(second, ...parts),
  kind: 'response',
})

const history = [
  request(
    1,
    { part_kind: 'system-prompt', content: 'You are an assistant.' },
    { part_kind: 'user-prompt', content: 'Which kiln is the hottest?' },
  ),
  response(
    2,
    { part_kind: 'thinking', content: 'The log has temperatures.' },
    { part_kind: 'text', content: 'I look into the log.' },
    { part_kind: 'tool-call', tool_name: 'grep', args: '{"pattern":"kiln"}', tool_call_id: 'c1' },
  ),
  request(3, { part_kind: 'tool-return', tool_call_id: 'c1', content: 'kiln four: 1280 degrees' }),
  response(4, { part_kind: 'text', content: 'Number four it is.' }),
]

function write(home: AgentHome, messages: readonly object[]): void {
  home.write(path, { id: 'x', message_history: messages })
}

const said = [
  'user: Which kiln is the hottest?',
  'assistant: The log has temperatures.\nI look into the log.',
  'tool: grep: kiln',
  'tool: kiln four: 1280 degrees',
  'assistant: Number four it is.',
]

export const rovoSample: ConformanceSample = {
  reader: rovoReader(),
  write(home) {
    home.write(`${folder}/metadata.json`, { title: 'Kilns', workspace_path: '/work/pottery' })
    write(home, history)
    return { path, appendable: false }
  },
  said,
  edit: (home) =>
    write(home, [...history, request(5, { part_kind: 'user-prompt', content: 'Cool it down.' })]),
  saidAfter: [...said, 'user: Cool it down.'],
}
