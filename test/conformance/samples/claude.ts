import { claudeReader } from '../../../host-agent/transcripts/claude.ts'
import { assistant, mainPath, record, textBlock, user } from '../../helpers/claude-records.ts'
import type { ConformanceSample } from '../sample.ts'

const path = `.claude/projects/${mainPath}`

export const claudeSample: ConformanceSample = {
  reader: claudeReader(),
  write(home) {
    home.write(path, [
      { type: 'summary', summary: 'of another session', leafUuid: 'elsewhere' },
      user(0, 'Why does the vault door jam?'),
      assistant(1, 'm1', [{ type: 'thinking', thinking: 'Hinges come to mind.' }]),
      assistant(1, 'm1', [textBlock('Let me look at the hinge log.')], { uuid: 'u1b' }),
      assistant(2, 'm2', [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'cat hinge.log' } }]),
      user(3, [{ type: 'tool_result', tool_use_id: 't1', content: 'hinge worn at 40 %' }]),
      record(4, { type: 'custom-title', customTitle: 'Vault door' }),
      user(5, '<command-name>/clear</command-name>'),
      assistant(6, 'm3', [textBlock('Grease it, then replace it – naïve fixes fail. 修好了。')]),
    ])
    return { path, appendable: true }
  },
  said: [
    'user: Why does the vault door jam?',
    'assistant: Hinges come to mind.',
    'assistant: Let me look at the hinge log.',
    'tool: Bash: cat hinge.log',
    'tool: hinge worn at 40 %',
    'assistant: Grease it, then replace it – naïve fixes fail. 修好了。',
  ],
}
