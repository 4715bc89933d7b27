import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../../test/helpers/agent-home.ts'
import { copilotChatReader } from './copilot-chat.ts'

const storage = '.config/Code/User/workspaceStorage/abc'
const id = '11111111-2222-4333-8444-555555555555'
const request = (text: string, response: readonly unknown[], fields: object = {}) => ({
  requestId: 'r',
  timestamp: 1767322800000,
  message: { text },
  response,
  ...fields,
})
const chat = (...requests: readonly unknown[]) => ({
  version: 3,
  sessionId: id,
  creationDate: 1767322700000,
  requests,
})

async function readChat(session: unknown, path = `${storage}/chatSessions/${id}.json`) {
  using home = createAgentHome()
  home.write(`${storage}/workspace.json`, { folder: 'file:///work/my%20app' })
  home.write(path, session)
  const { files, failures } = await home.read(copilotChatReader())
  expect(failures).toEqual({})
  const [file] = files
  if (file === undefined) throw new Error('not found')
  return file
}

describe('copilotChatReader', () => {
  const { formatOf, enters } = copilotChatReader()

  it('takes chats and nothing else of a workspace’s storage', () => {
    expect(formatOf(`abc/chatSessions/${id}.json`)?.kind).toBe('document')
    expect(formatOf(`abc/chatSessions/${id}.jsonl`)?.kind).toBe('document')
    expect(formatOf(`${id}.jsonl`)?.kind).toBe('document')
    expect(formatOf('abc/workspace.json')).toBeNull()
    expect(formatOf('abc/state.vscdb')).toBeNull()
    expect(enters?.('abc')).toBe(true)
    expect(enters?.('abc/chatSessions')).toBe(true)
    expect(enters?.('abc/GitHub.copilot-chat')).toBe(false)
  })

  it('reads a chat with its folder, title and times', async () => {
    const read = await readChat({
      ...chat(request('Where is main?', [{ value: 'In ' }, { value: 'src.' }])),
      customTitle: 'Main',
      lastMessageDate: 1767322900000,
    })
    expect(read.said).toEqual(['user: Where is main?', 'assistant: In src.'])
    expect(read.facts).toEqual({
      sessionId: id,
      title: 'Main',
      cwd: '/work/my app',
      branch: null,
      createdAtMs: 1767322700000,
      updatedAtMs: 1767322900000,
      messageCount: 2,
      resumeCommand: null,
    })
  })

  it('keeps the order of thoughts, tools and texts, and puts references into their sentence', async () => {
    const read = await readChat(
      chat(
        request('Go', [
          { kind: 'thinking', value: ['Hm, ', 'yes.'] },
          { kind: 'thinking', value: '' },
          { kind: 'prepareToolInvocation', toolName: 'x' },
          {
            kind: 'toolInvocationSerialized',
            toolId: 'copilot_readFile',
            invocationMessage: { value: 'Reading a.ts' },
            pastTenseMessage: { value: 'Read a.ts, lines 1 to 9' },
          },
          {
            kind: 'toolInvocationSerialized',
            toolId: 'mcp_find',
            resultDetails: {
              input: '{"q":1}',
              output: [
                { isText: true, value: 'found it' },
                { isText: false, value: 'AAAA' },
              ],
            },
          },
          { value: 'See ' },
          { kind: 'inlineReference', inlineReference: { fsPath: '/work/b.ts', path: '/work/b.ts' } },
          { value: '.' },
          { kind: 'textEditGroup', edits: [] },
          { kind: 'warning', content: { value: 'careful' } },
          { kind: 'from_the_future' },
        ]),
      ),
    )
    expect(read.said.slice(1)).toEqual([
      'assistant: Hm, yes.',
      'tool: copilot_readFile: Read a.ts, lines 1 to 9',
      'tool: mcp_find: {"q":1}',
      'tool: found it',
      'assistant: See b.ts.',
      'tool: careful',
    ])
    expect(read.unread.unknownRecords).toBe(1)
  })

  it('replays a log, and reads the chat that it goes on with only there', async () => {
    using home = createAgentHome()
    home.write(`${storage}/chatSessions/${id}.json`, chat(request('Once', [])))
    home.write(`${storage}/chatSessions/${id}.jsonl`, [
      { kind: 0, v: chat(request('Once', [])) },
      { kind: 2, k: ['requests'], v: [request('Twice', [])] },
      { kind: 2, k: ['requests'], v: [request('Undone and asked anew', [])], i: 1 },
    ])
    const { files } = await home.read(copilotChatReader())
    expect(files.map(({ kind, said }) => [kind, said])).toEqual([
      ['none', []],
      ['session', ['user: Once', 'user: Undone and asked anew']],
    ])
  })

  it('reads chats of windows without a folder', async () => {
    const read = await readChat(
      chat(request('Hi', [])),
      `.config/Code/User/globalStorage/emptyWindowChatSessions/${id}.json`,
    )
    expect(read.facts).toMatchObject({ sessionId: id, cwd: null })
  })

  it('leaves out what a person went back from, and takes no button or notice for words', async () => {
    const read = await readChat({
      ...chat(
        request('Keep', []),
        request('Command finished', [{ value: 'I see.' }], { isSystemInitiated: true }),
        request('@agent Continue', [], { confirmation: 'Continue' }),
        request('Half', [], { shouldBeRemovedOnSend: { requestId: 'r', afterUndoStop: 'u' } }),
        request('Gone', [{ value: 'gone as well' }], { shouldBeRemovedOnSend: { requestId: 'r' } }),
      ),
      workingDirectory: 'file:///work/elsewhere',
    })
    expect(read.said).toEqual([
      'user: Keep',
      'tool: Command finished',
      'assistant: I see.',
      'tool: @agent Continue',
      'user: Half',
    ])
    expect(read.facts.cwd).toBe('/work/elsewhere')
  })

  it('searches nothing in an empty chat and fails one that is cut short', async () => {
    expect((await readChat(chat())).kind).toBe('none')
    using home = createAgentHome()
    home.write(`${storage}/chatSessions/a.json`, '{"requests":')
    home.write(`${storage}/chatSessions/b.jsonl`, '{"kind":0,"v":{"requests"')
    expect(Object.values((await home.read(copilotChatReader())).failures)).toEqual([
      'The document is not complete JSON.',
      'The document holds no chat.',
    ])
  })
})
