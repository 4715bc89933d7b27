import { grokReader } from '../../../host-agent/transcripts/grok.ts'
import type { ConformanceSample } from '../sample.ts'

const folder = '.grok/sessions/%2Fwork%2Fbakery/019f0000-0000-7000-8000-00000000000c'
const path = `${folder}/chat_history.jsonl`

export const grokSample: ConformanceSample = {
  reader: grokReader(),
  write(home) {
    home.write(`${folder}/summary.json`, {
      info: { id: '019f0000-0000-7000-8000-00000000000c', cwd: '/work/bakery' },
      generated_title: 'Bread',
      head_branch: 'main',
      created_at: '2026-07-01T06:00:00Z',
      last_active_at: '2026-07-01T06:10:00Z',
    })
    home.write(path, [
      { type: 'system', content: 'You are an assistant.' },
      { type: 'user', content: [{ type: 'text', text: '<user_info>not said</user_info>' }] },
      {
        type: 'user',
        content: [{ type: 'text', text: '<user_query>\nHow long does the rye rise?\n</user_query>' }],
      },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Recipes are in the folder.' }] },
      {
        type: 'assistant',
        content: 'I read the recipe.',
        tool_calls: [{ id: 'c1', name: 'read_file', arguments: '{"path":"rye.md"}' }],
      },
      { type: 'tool_result', tool_call_id: 'c1', content: 'let it stand eleven hours' },
      {
        type: 'backend_tool_call',
        kind: { tool_type: 'web_search', action: { type: 'search', query: 'sourdough starter' } },
      },
      { type: 'user', content: 'And the wheat, meanwhile?', synthetic_reason: 'interjection' },
      { type: 'assistant', content: 'Eleven hours; wheat takes three.' },
    ])
    return { path, appendable: true }
  },
  said: [
    'user: How long does the rye rise?',
    'assistant: Recipes are in the folder.',
    'assistant: I read the recipe.',
    'tool: read_file: rye.md',
    'tool: let it stand eleven hours',
    'tool: web_search: sourdough starter',
    'user: And the wheat, meanwhile?',
    'assistant: Eleven hours; wheat takes three.',
  ],
}
