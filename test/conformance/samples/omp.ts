import { ompReader } from '../../../host-agent/transcripts/omp.ts'
import { piAssistant, piEntry, piHead, piUser } from '../../helpers/pi-entries.ts'
import type { ConformanceSample } from '../sample.ts'

const folder = '.omp/agent/sessions/-app'
const name = '2026-03-04T10-00-00-000Z_0195f0aa-0000-7000-8000-00000000000a'
const path = `${folder}/${name}.jsonl`

export const ompSample: ConformanceSample = {
  reader: ompReader(),
  write(home) {
    home.write(path, [
      {
        type: 'title',
        v: 1,
        title: 'Tide tables',
        source: 'auto',
        updatedAt: '2026-03-04T10:00:09Z',
        pad: '',
      },
      piHead('0195f0aa-0000-7000-8000-00000000000a', { title: 'Tide tables' }),
      piUser(1, 'Which tide table do we trust?'),
      piEntry(2, 'title_change', { title: 'Tide tables', source: 'auto' }),
      piEntry(3, 'credential_pin', { provider: 'p', hash: 'h' }),
      piAssistant(4, 'The harbour office prints the best one.'),
    ])
    home.write(`${folder}/${name}/TideScout.jsonl`, [
      piHead('sub', { cwd: '/home/dev/worktree' }, 2),
      piEntry(2, 'session_init', { systemPrompt: 'You are a scout.', task: 'Compare both tables.' }),
      piUser(3, 'Compare both tables.'),
      piAssistant(4, 'They differ by four minutes.'),
    ])
    return { path, appendable: true }
  },
  said: [
    'user: Which tide table do we trust?',
    'assistant: The harbour office prints the best one.',
    'assistant: Compare both tables.',
    'assistant: They differ by four minutes.',
  ],
}
