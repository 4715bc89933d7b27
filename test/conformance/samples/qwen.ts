import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { qwenReader } from '../../../host-agent/transcripts/qwen.ts'
import { qwenModel, qwenPath, qwenRecord, qwenUser } from '../../helpers/qwen-records.ts'
import type { ConformanceSample } from '../sample.ts'

export const qwenSample: ConformanceSample = {
  reader: qwenReader(),
  write(home) {
    home.write(qwenPath, [
      qwenUser(1, 'How deep is the village well?'),
      qwenModel(2, [
        { text: 'A rope would tell.', thought: true },
        { functionCall: { id: 'c1', name: 'read_file', args: { path: 'well.md' } } },
      ]),
      qwenRecord(3, 'tool_result', {
        message: {
          role: 'user',
          parts: [
            { functionResponse: { id: 'c1', name: 'read_file', response: { output: 'eleven metres' } } },
          ],
        },
      }),
      qwenModel(4, [{ text: 'A guess that was taken back.' }]),
      qwenRecord(5, 'system', { subtype: 'rewind', parentUuid: 'q3', systemPayload: { truncatedCount: 1 } }),
      qwenModel(6, [{ text: 'Eleven metres, says the file. 十一米。' }]),
      qwenRecord(7, 'system', { subtype: 'custom_title', systemPayload: { customTitle: 'The well' } }),
    ])
    return { path: qwenPath, appendable: false }
  },
  said: [
    'user: How deep is the village well?',
    'assistant: A rope would tell.',
    'tool: read_file: well.md',
    'tool: eleven metres',
    'assistant: Eleven metres, says the file. 十一米。',
  ],
  edit(home) {
    const lines = readFileSync(join(home.dir, qwenPath), 'utf8')
    home.write(qwenPath, `${lines}${JSON.stringify(qwenUser(8, 'And how wide?'))}\n`)
  },
  saidAfter: [
    'user: How deep is the village well?',
    'assistant: A rope would tell.',
    'tool: read_file: well.md',
    'tool: eleven metres',
    'assistant: Eleven metres, says the file. 十一米。',
    'user: And how wide?',
  ],
}
