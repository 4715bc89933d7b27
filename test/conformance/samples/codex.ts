import { codexReader } from '../../../host-agent/transcripts/codex.ts'
import {
  agentEvent,
  agentItem,
  item,
  line,
  meta,
  rolloutPath,
  userEvent,
  userItem,
} from '../../helpers/codex-records.ts'
import type { ConformanceSample } from '../sample.ts'

const path = `.codex/sessions/${rolloutPath}`

export const codexSample: ConformanceSample = {
  reader: codexReader(),
  write(home) {
    home.write(path, [
      meta(),
      userItem(1, '<environment_context>not a word of the user</environment_context>'),
      line(1, 'turn_context', { cwd: '/home/dev/app', model: 'm' }),
      userItem(2, 'Find the leaking pipe.'),
      userEvent(2, 'Find the leaking pipe.'),
      item(3, 'function_call', { call_id: 'c1', name: 'shell', arguments: '{"command":["rg","drip"]}' }),
      item(4, 'function_call_output', { call_id: 'c1', output: 'cellar.md: it drips' }),
      agentItem(5, 'It is the one in the cellar.'),
      agentEvent(5, 'It is the one in the cellar.'),
    ])
    return { path, appendable: true }
  },
  said: [
    'user: Find the leaking pipe.',
    'tool: shell: rg drip',
    'tool: cellar.md: it drips',
    'assistant: It is the one in the cellar.',
  ],
}
