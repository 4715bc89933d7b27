import { cursorReader } from '../../../host-agent/transcripts/cursor.ts'
import type { ConformanceSample } from '../sample.ts'

const id = '3c9d0a52-0000-4000-8000-000000000001'
const folder = '.cursor/projects/home-dev-app/agent-transcripts'
const path = `${folder}/${id}/${id}.jsonl`
const line = (role: string, ...content: readonly object[]) => ({ role, message: { content } })
const text = (value: string) => ({ type: 'text', text: value })

export const cursorSample: ConformanceSample = {
  reader: cursorReader(),
  write(home) {
    home.write(`.cursor/chats/0123456789abcdef0123456789abcdef/${id}/meta.json`, {
      title: 'Bridge toll',
      cwd: '/home/dev/app',
      createdAtMs: 1_772_618_400_000,
      updatedAtMs: 1_772_618_460_000,
    })
    home.write(path, [
      line(
        'user',
        text('<timestamp>now</timestamp>\n<user_query>\nWhat does the bridge cost?\n</user_query>'),
      ),
      line('assistant', text('I will ask the toll keeper.'), {
        type: 'tool_use',
        name: 'Shell',
        input: { command: 'cat toll.txt' },
      }),
      line('user', { type: 'tool_result', tool_use_id: 't1', content: [text('two coins')] }),
      line('assistant', text('Two coins – naïve haggling is useless. 两枚硬币。')),
      { type: 'turn_ended', status: 'success' },
    ])
    home.write(`${folder}/${id}/subagents/9f3b0000-0000-4000-8000-000000000002.jsonl`, [
      line('user', text('Count the arches.')),
      line('assistant', text('Seven arches.')),
    ])
    return { path, appendable: true }
  },
  said: [
    'user: What does the bridge cost?',
    'assistant: I will ask the toll keeper.',
    'tool: Shell: cat toll.txt',
    'tool: two coins',
    'assistant: Two coins – naïve haggling is useless. 两枚硬币。',
    'assistant: Count the arches.',
    'assistant: Seven arches.',
  ],
}
