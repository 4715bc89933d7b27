import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../../test/helpers/agent-home.ts'
import { clineReader } from './cline.ts'
import { rooReader } from './roo.ts'

const clineStorage = '.config/Code/User/globalStorage/saoudrizwan.claude-dev'
const rooTasks = '.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks'
const taskId = '1767322800000'
const say = (second: number, kind: string, text: string, fields: object = {}) => ({
  ts: 1767322800000 + second * 1000,
  type: 'say',
  say: kind,
  text,
  ...fields,
})
const ask = (second: number, kind: string, text: string) => ({
  ...say(second, '', text),
  type: 'ask',
  ask: kind,
})
const document = (messages: unknown) => JSON.stringify(messages)

async function readTask(messages: readonly unknown[], name = 'ui_messages.json') {
  using home = createAgentHome()
  home.write(`${clineStorage}/tasks/${taskId}/${name}`, document(messages))
  const { files, failures } = await home.read(clineReader())
  expect(failures).toEqual({})
  const [file] = files
  if (file === undefined) throw new Error('not found')
  return file
}

describe('VS Code tasks', () => {
  const { formatOf, enters } = clineReader()

  it('takes the files of a task and not the checkpoints, settings and lists beside them', () => {
    expect(formatOf('17/ui_messages.json')?.kind).toBe('document')
    expect(formatOf('17/api_conversation_history.json')?.kind).toBe('document')
    expect(formatOf('17/claude_messages.json')?.kind).toBe('document')
    expect(formatOf('17/task_metadata.json')).toBeNull()
    expect(formatOf('_index.json')).toBeNull()
    expect(formatOf('17/sub/ui_messages.json')).toBeNull()
    expect(enters?.('17')).toBe(true)
    expect(enters?.('17/checkpoints')).toBe(false)
  })

  it('takes the first text for the person’s and later ones for the assistant’s', async () => {
    const read = await readTask([
      say(0, 'text', 'Move the button'),
      say(1, 'text', 'I move it.', { reasoning: 'Left of the label.' }),
      say(2, 'user_feedback', 'Further left'),
      say(3, 'completion_result', 'Done.HAS_CHANGES'),
    ])
    expect(read.said).toEqual([
      'user: Move the button',
      'assistant: Left of the label.',
      'assistant: I move it.',
      'user: Further left',
      'assistant: Done.',
    ])
    expect(read.facts).toMatchObject({
      sessionId: taskId,
      title: 'Move the button',
      createdAtMs: 1767322800000,
      updatedAtMs: 1767322803000,
      messageCount: 5,
      resumeCommand: null,
    })
  })

  it('tells tools, commands, servers and pages as tool text, without pictures', async () => {
    const read = await readTask([
      say(0, 'task', 'Look around'),
      ask(1, 'tool', '{"tool":"searchFiles","path":"src","regex":"todo","content":"a.ts: todo"}'),
      say(2, 'tool', '{"tool":"appliedDiff","path":"b.ts","diff":"-old\\n+new"}'),
      ask(3, 'command', 'npm test REQ_APP'),
      say(4, 'command_output', 'all passed'),
      say(
        5,
        'use_mcp_server',
        '{"serverName":"docs","toolName":"find","arguments":"{\\"query\\":\\"tide\\"}"}',
      ),
      say(6, 'mcp_server_response', 'the tide is low'),
      say(7, 'browser_action_launch', 'https://example.com'),
      say(
        8,
        'browser_action_result',
        '{"screenshot":"data:image/png;base64,AAAA","currentUrl":"https://example.com/a","logs":"loaded"}',
      ),
      say(9, 'tool', 'torn {'),
    ])
    expect(read.said.slice(1)).toEqual([
      'tool: searchFiles: src todo\na.ts: todo',
      'tool: appliedDiff: b.ts\n-old\n+new',
      'tool: command: npm test',
      'tool: all passed',
      'tool: docs find: tide',
      'tool: the tide is low',
      'tool: browser: https://example.com',
      'tool: https://example.com/a\nloaded',
      'tool: torn {',
    ])
  })

  it('takes an answer that was chosen for the person’s words', async () => {
    const read = await readTask([
      say(0, 'text', 'Build it'),
      ask(1, 'followup', '{"question":"With wood?","options":["Yes","No"],"selected":"Yes"}'),
      ask(2, 'plan_mode_respond', '{"response":"First the frame."}'),
    ])
    expect(read.said.slice(1)).toEqual([
      'assistant: With wood?\nYes\nNo',
      'user: Yes',
      'assistant: First the frame.',
    ])
  })

  it('passes over progress, keeps summaries as tool text, and counts what it does not know', async () => {
    const read = await readTask([
      say(0, 'text', 'Go'),
      say(1, 'checkpoint_saved', 'abc'),
      say(2, 'condense_context', '', { contextCondense: { summary: 'So far so good' } }),
      say(3, 'brand_new_kind', 'x'),
      null,
    ])
    expect(read.said).toEqual(['user: Go', 'tool: So far so good'])
    expect(read.unread).toEqual({ badLines: 1, unknownRecords: 1 })
  })

  it('takes the folder from the task list, else from what the model was told', async () => {
    using home = createAgentHome()
    home.write(`${clineStorage}/tasks/1/ui_messages.json`, document([say(0, 'text', 'one')]))
    home.write(
      `${clineStorage}/tasks/2/ui_messages.json`,
      document([
        say(0, 'text', 'two'),
        say(1, 'api_req_started', '{"request":"# Current Working Directory (/work/two) Files"}'),
      ]),
    )
    home.write(`${clineStorage}/tasks/3/ui_messages.json`, document([say(0, 'text', 'three')]))
    home.write(
      `${clineStorage}/tasks/3/api_conversation_history.json`,
      document([
        {
          role: 'user',
          content: [{ type: 'text', text: '# Current Working Directory (C:\\work\\three) Files' }],
        },
      ]),
    )
    home.write(
      `${clineStorage}/state/taskHistory.json`,
      document([{ id: '1', ts: 1767322900000, task: 'The first', cwdOnTaskInitialization: '/work/one' }]),
    )
    const { files } = await home.read(clineReader())
    const sessions = files.filter(({ kind }) => kind === 'session')
    expect(sessions.map(({ facts }) => [facts.sessionId, facts.title, facts.cwd])).toEqual([
      ['1', 'The first', '/work/one'],
      ['2', 'two', '/work/two'],
      ['3', 'three', 'C:\\work\\three'],
    ])
  })

  it('reads what went to the model only where what the person saw is missing', async () => {
    const history = [
      {
        role: 'user',
        ts: 1767322800000,
        content: [
          { type: 'text', text: '<task>\nFix the lamp\n</task>' },
          { type: 'text', text: '<environment_details>\nnot said\n</environment_details>' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I change the bulb.' },
          { type: 'tool_use', id: 't', name: 'execute_command', input: { command: 'buy bulb' } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'bulb bought' }] },
      { role: 'user', content: [{ type: 'text', text: "[read_file for 'x'] Result:\nsix lines" }] },
      { role: 'user', isSummary: true, content: 'Lamps so far' },
      { role: 'user', content: '<feedback>Brighter</feedback>' },
    ]
    const alone = await readTask(history, 'api_conversation_history.json')
    expect(alone.said).toEqual([
      'user: Fix the lamp',
      'assistant: I change the bulb.',
      'tool: execute_command: buy bulb',
      'tool: bulb bought',
      "tool: [read_file for 'x'] Result:\nsix lines",
      'tool: Lamps so far',
      'user: Brighter',
    ])
    using home = createAgentHome()
    home.write(`${clineStorage}/tasks/1/api_conversation_history.json`, document(history))
    home.write(`${clineStorage}/tasks/1/ui_messages.json`, document([say(0, 'text', 'Seen')]))
    const { files } = await home.read(clineReader())
    expect(files.map(({ kind, said }) => [kind, said])).toEqual([
      ['none', []],
      ['session', ['user: Seen']],
    ])
  })

  it('fails a file that is cut short, or holds no list', async () => {
    using home = createAgentHome()
    home.write(`${clineStorage}/tasks/1/ui_messages.json`, '[{"ts":1')
    home.write(`${clineStorage}/tasks/2/ui_messages.json`, '{}')
    expect(Object.values((await home.read(clineReader())).failures)).toEqual([
      'The document is not complete JSON.',
      'The document is not a list of messages.',
    ])
  })
})

describe('rooReader', () => {
  it('gives a subtask to the first of the tasks that led to it', async () => {
    using home = createAgentHome()
    home.write(`${rooTasks}/child/ui_messages.json`, document([say(0, 'text', 'Count the nails')]))
    home.write(`${rooTasks}/child/history_item.json`, {
      id: 'child',
      rootTaskId: 'root',
      parentTaskId: 'middle',
      task: 'Count the nails',
      workspace: '/work/shed',
    })
    const { files } = await home.read(rooReader())
    expect(files[0]).toMatchObject({
      kind: 'part',
      said: ['assistant: Count the nails'],
      facts: { sessionId: 'root', cwd: '/work/shed', messageCount: 0 },
    })
  })

  it('follows the setting that moves its storage', () => {
    const settings = '{\n  // mine\n  "roo-cline.customStoragePath": "/srv/ro\\"o",\n  "x": 1,\n}'
    const textOf = (path: string) => (path === '/home/dev/.config/Code/User/settings.json' ? settings : null)
    const paths = rooReader()
      .roots({ homeDir: '/home/dev', platform: 'linux', env: {}, textOf })
      .map(({ path }) => path)
    expect(paths[0]).toBe('/srv/ro"o/tasks')
    expect(paths).toContain('/home/dev/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks')
  })

  it('looks into every editor, also on Windows', () => {
    const paths = rooReader()
      .roots({ homeDir: 'C:\\Users\\dev', platform: 'win32', env: {} })
      .map(({ path }) => path)
    expect(paths).toContain(
      'C:\\Users\\dev\\AppData\\Roaming\\Code\\User\\globalStorage\\rooveterinaryinc.roo-cline\\tasks',
    )
  })
})
