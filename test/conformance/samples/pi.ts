import { piReader } from '../../../host-agent/transcripts/pi.ts'
import { piEntry, piHead, piMessage } from '../../helpers/pi-entries.ts'
import type { ConformanceSample } from '../sample.ts'

const path =
  '.pi/agent/sessions/--home-dev-app--/2026-03-04T10-00-00-000Z_0195f0aa-0000-7000-8000-000000000001.jsonl'

export const piSample: ConformanceSample = {
  reader: piReader(),
  write(home) {
    home.write(path, [
      piHead('0195f0aa-0000-7000-8000-000000000001'),
      piEntry(1, 'model_change', { provider: 'p', modelId: 'm' }),
      piMessage(2, {
        role: 'user',
        content: [{ type: 'text', text: 'Where does the lighthouse keep its oil?' }],
      }),
      piMessage(3, {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Oil is stored low.' },
          { type: 'text', text: 'I will look at the store room.' },
          { type: 'toolCall', id: 'c1', name: 'bash', arguments: { command: 'ls storeroom' } },
        ],
      }),
      piMessage(4, {
        role: 'toolResult',
        toolCallId: 'c1',
        content: [{ type: 'text', text: 'oil.cask wick.box' }],
      }),
      piEntry(5, 'compaction', { summary: 'Summary: the casks were found.', firstKeptEntryId: 'e2' }),
      piEntry(6, 'custom', { customType: 'state', data: {} }),
      piEntry(7, 'session_info', { name: 'Lighthouse oil' }),
      piMessage(8, { role: 'bashExecution', command: 'wc -l log', output: '12 log', exitCode: 0 }),
      piMessage(9, {
        role: 'assistant',
        content: [{ type: 'text', text: 'In the cask below the stairs – naïvely placed. 油在楼梯下。' }],
      }),
    ])
    return { path, appendable: true }
  },
  said: [
    'user: Where does the lighthouse keep its oil?',
    'assistant: Oil is stored low.\nI will look at the store room.',
    'tool: bash: ls storeroom',
    'tool: oil.cask wick.box',
    'tool: Summary: the casks were found.',
    'tool: bash: wc -l log',
    'tool: 12 log',
    'assistant: In the cask below the stairs – naïvely placed. 油在楼梯下。',
  ],
}
