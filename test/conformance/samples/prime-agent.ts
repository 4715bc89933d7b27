import { primeAgentReader } from '../../../host-agent/transcripts/prime-agent.ts'
import { piAssistant, piEntry, piHead, piUser } from '../../helpers/pi-entries.ts'
import type { ConformanceSample } from '../sample.ts'

const id = '0195f0aa-0000-7000-8000-0000000000b1'
const path = `.prime/agent/sessions/${id}.jsonl`

export const primeAgentSample: ConformanceSample = {
  reader: primeAgentReader(),
  write(home) {
    home.write(path, [
      piHead(id, { rlmDepth: 0, git: { branch: 'main' } }),
      piUser(1, 'Review the drawbridge code.'),
      piEntry(2, 'git_state', { git: { branch: 'drawbridge' } }),
      piEntry(3, 'child_usage_attributed', { targetId: 'e4' }),
      piAssistant(4, 'The chain is too short.'),
    ])
    home.write(`.prime/agent/session-artifacts/${id}/sub-1a2b3c4d/child.jsonl`, [
      piHead('child', { rlmDepth: 1, parentSession: `/home/dev/.prime/agent/sessions/${id}.jsonl` }, 2),
      piUser(3, 'Measure the chain.'),
      piAssistant(4, 'Nine links, ten are needed.'),
    ])
    return { path, appendable: true }
  },
  said: [
    'assistant: Measure the chain.',
    'assistant: Nine links, ten are needed.',
    'user: Review the drawbridge code.',
    'assistant: The chain is too short.',
  ],
}
