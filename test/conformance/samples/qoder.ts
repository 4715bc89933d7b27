import { qoderReader } from '../../../host-agent/transcripts/qoder.ts'
import { assistant, mainPath, record, sessionId, textBlock, user } from '../../helpers/claude-records.ts'
import type { ConformanceSample } from '../sample.ts'

const path = `.qoder/projects/${mainPath}`

export const qoderSample: ConformanceSample = {
  reader: qoderReader(),
  write(home) {
    home.write(path.replace('.jsonl', '-session.json'), { title: 'Kiln heat', working_dir: '/home/dev/app' })
    home.write(path, [
      { type: 'runtime-config', sessionId, model: 'm', contextWindow: null, timestamp: 1_767_322_800_000 },
      user(0, 'How hot is the kiln?'),
      assistant(1, 'm1', [{ type: 'redacted_thinking', data: 'QE:xx' }, textBlock('Let me read the gauge.')]),
      assistant(2, 'm2', [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'cat gauge' } }]),
      user(3, [{ type: 'tool_result', tool_use_id: 't1', content: '1180 degrees' }]),
      record(4, { type: 'ai-title', aiTitle: 'Reading a gauge' }),
      assistant(5, 'm3', [textBlock('Hot enough for glaze.')]),
    ])
    return { path, appendable: true }
  },
  said: [
    'user: How hot is the kiln?',
    'assistant: Let me read the gauge.',
    'tool: Bash: cat gauge',
    'tool: 1180 degrees',
    'assistant: Hot enough for glaze.',
  ],
}
