import { describe, expect, it } from 'vitest'
import { completed, event, item, meta, readCodex } from '../../test/helpers/codex-records.ts'
import { spoken } from '../../test/helpers/fold-transcript.ts'

describe('codex tools', () => {
  it.each([
    [
      'a function',
      item(1, 'function_call', { call_id: 'c', name: 'shell', arguments: '{"command":["bash","-lc","ls"]}' }),
      'shell: bash -lc ls',
    ],
    [
      'arguments that are no JSON',
      item(1, 'function_call', { call_id: 'c', name: 'f', arguments: '{oops' }),
      'f: {oops',
    ],
    [
      'a custom tool',
      item(1, 'custom_tool_call', { call_id: 'c', name: 'apply_patch', input: '*** Begin Patch' }),
      'apply_patch: *** Begin Patch',
    ],
    [
      'an older call',
      item(1, 'tool_call', { function: { name: 'run' }, arguments: { command: 'ls' } }),
      'run: ls',
    ],
    [
      'a local shell',
      item(1, 'local_shell_call', { call_id: 'c', action: { type: 'exec', command: ['git', 'log'] } }),
      'shell: git log',
    ],
    [
      'a tool search',
      item(1, 'tool_search_call', { call_id: 'c', arguments: { query: 'mail' } }),
      'tool_search: mail',
    ],
    [
      'a web search',
      item(1, 'web_search_call', { action: { type: 'search', query: 'fts5' } }),
      'web_search: fts5',
    ],
    [
      'a page opened',
      completed(1, 'Extension', { query: null, action: { type: 'openPage', url: 'https://x.test' } }),
      'web_search: https://x.test',
    ],
    [
      'a picture made',
      event(1, 'image_generation_end', { revised_prompt: 'a cat' }),
      'image_generation: a cat',
    ],
    [
      'a picture looked at',
      event(1, 'view_image_tool_call', { call_id: 'c', path: '/a.png' }),
      'view_image: /a.png',
    ],
    [
      'an MCP call',
      event(1, 'mcp_tool_call_end', {
        call_id: 'c',
        invocation: { server: 's', tool: 't', arguments: { query: 'q' } },
      }),
      's.t: q',
    ],
    ['an MCP item', completed(1, 'McpToolCall', { id: 'c', server: 's', tool: 't', arguments: {} }), 's.t'],
    [
      'a dynamic tool',
      event(1, 'dynamic_tool_call_request', { callId: 'c', tool: 't', arguments: { path: '/p' } }),
      't: /p',
    ],
    [
      'a patch',
      completed(1, 'FileChange', { id: 'c', changes: { '/a.ts': {}, '/b.ts': {} } }),
      'apply_patch: /a.ts /b.ts',
    ],
    ['an output', item(1, 'function_call_output', { call_id: 'c', output: 'ok' }), 'ok'],
    [
      'an output in parts',
      item(1, 'custom_tool_call_output', {
        call_id: 'c',
        output: [
          { type: 'input_text', text: 'a' },
          { type: 'input_image' },
          { type: 'input_text', text: 'b' },
        ],
      }),
      'a\nb',
    ],
    [
      'an output packed as JSON',
      item(1, 'function_call_output', {
        call_id: 'c',
        output: '{"output":"ok\\n","metadata":{"exit_code":0}}',
      }),
      'ok\n',
    ],
    [
      'an older result',
      item(1, 'tool_result', { name: 'run', result: { stdout: 'out', stderr: 'err', exitCode: 0 } }),
      'out\nerr',
    ],
  ])('reads %s as tool text', (_name, record, text) => {
    const tool = readCodex([meta(), record])
    expect(spoken(tool)).toEqual([`tool: ${text}`])
    expect(tool).toMatchObject({ facts: { messageCount: 0 }, unread: { unknownRecords: 0 } })
  })

  it('reads one call and its result once, whatever records tell of it', () => {
    const call = { call_id: 'c1', name: 'shell', arguments: '{"command":["ls"]}' }
    const done = { command: ['ls'], aggregated_output: 'a.txt' }
    const once = readCodex([
      meta(),
      item(1, 'function_call', call),
      event(1, 'exec_command_end', { call_id: 'c1', ...done }),
      item(1, 'function_call_output', { call_id: 'c1', output: 'a.txt' }),
      completed(1, 'CommandExecution', { id: 'c1', ...done }),
      item(2, 'web_search_call', { id: 'ws', action: { query: 'fts5' } }),
      event(2, 'web_search_end', {
        call_id: 'other',
        query: 'fts5',
        results: [{ title: 'FTS5', url: 'https://s.test' }],
      }),
      item(3, 'function_call', { ...call, call_id: 'c2' }),
    ])
    expect(spoken(once)).toEqual([
      'tool: shell: ls',
      'tool: a.txt',
      'tool: web_search: fts5',
      'tool: FTS5\nhttps://s.test',
      'tool: shell: ls',
    ])
  })
})
