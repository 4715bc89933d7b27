import { geminiReader } from '../../../host-agent/transcripts/gemini.ts'
import type { ConformanceSample } from '../sample.ts'

const path = '.gemini/tmp/harbour/chats/session-2026-01-02T03-00-0a1b2c3d.jsonl'
const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, 0, second)).toISOString()
const message = (second: number, type: string, fields: object) => ({
  id: `m${second}`,
  timestamp: at(second),
  type,
  ...fields,
})

const records = [
  {
    sessionId: '0a1b2c3d-0000-4000-8000-000000000001',
    projectHash: 'harbour',
    startTime: at(0),
    kind: 'main',
  },
  message(1, 'user', { content: [{ text: 'Where does the ferry moor?' }] }),
  { $set: { lastUpdated: at(1), summary: 'Mooring of the ferry' } },
  message(2, 'gemini', {
    content: '',
    thoughts: [{ subject: 'Search', description: 'The quay list should tell.' }],
    toolCalls: [
      {
        id: 'c1',
        name: 'search_file_content',
        args: { pattern: 'ferry' },
        result: [{ functionResponse: { response: { output: 'quays.txt: berth nine' } } }],
        timestamp: at(3),
      },
    ],
  }),
  message(4, 'gemini', { content: 'At berth nine.' }),
  message(5, 'user', { content: 'A question taken back' }),
  { $rewindTo: 'm5' },
  message(6, 'info', { content: 'Request cancelled at the pier.' }),
]

const said = [
  'user: Where does the ferry moor?',
  'assistant: Search\nThe quay list should tell.',
  'tool: search_file_content: ferry',
  'tool: quays.txt: berth nine',
  'assistant: At berth nine.',
  'tool: Request cancelled at the pier.',
]

export const geminiSample: ConformanceSample = {
  reader: geminiReader(),
  write(home) {
    home.write('.gemini/tmp/harbour/.project_root', '/work/harbour')
    home.write(path, records)
    return { path, appendable: false }
  },
  said,
  edit(home) {
    home.write(path, [...records, message(7, 'user', { content: 'And the tug boats?' })])
  },
  saidAfter: [...said, 'user: And the tug boats?'],
}
