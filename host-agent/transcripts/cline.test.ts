import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../../test/helpers/agent-home.ts'
import { clineReader } from './cline.ts'

const id = '1780300000000_abcde'
const folder = `.cline/data/sessions/${id}`
const messages = (...list: readonly object[]) => ({
  version: 1,
  updated_at: '2026-06-01T08:00:00Z',
  messages: list,
})

describe('clineReader', () => {
  const { roots, formatOf } = clineReader()

  it('follows the variables that move its folders, the most telling one first', () => {
    const first = (env: Record<string, string>) =>
      roots({ homeDir: '/home/dev', platform: 'linux', env })
        .slice(0, 2)
        .map(({ path }) => path)
    expect(first({})).toEqual(['/home/dev/.cline/data/sessions', '/home/dev/.cline/data/tasks'])
    expect(first({ CLINE_DIR: '/a' })).toEqual(['/a/data/sessions', '/a/data/tasks'])
    expect(first({ CLINE_DIR: '/a', CLINE_DATA_DIR: '/b' })).toEqual(['/b/sessions', '/b/tasks'])
    expect(first({ CLINE_DATA_DIR: '/b', CLINE_SESSION_DATA_DIR: '/c' })).toEqual(['/c', '/b/tasks'])
    expect(first({ CLINE_SESSION_DATA_DIR: 'relative' })[0]).toBe('/home/dev/.cline/data/sessions')
  })

  it('takes the messages of a session and not its manifest', () => {
    expect(formatOf(`${id}/${id}.messages.json`)?.kind).toBe('document')
    expect(formatOf(`${id}/${id}.json`)).toBeNull()
    expect(formatOf(`${id}/${id}.compaction.json`)).toBeNull()
  })

  it('names and places a session by its manifest, else by its prompt', async () => {
    using home = createAgentHome()
    home.write(`${folder}/${id}.messages.json`, messages({ role: 'user', content: 'Hello there' }))
    home.write(`${folder}/${id}.json`, {
      session_id: id,
      cwd: '/work/app',
      started_at: '2026-06-01T07:00:00Z',
      metadata: { title: 'Greeting' },
    })
    const [named] = (await home.read(clineReader())).files
    expect(named?.facts).toEqual({
      sessionId: id,
      title: 'Greeting',
      cwd: '/work/app',
      branch: null,
      createdAtMs: Date.parse('2026-06-01T07:00:00Z'),
      updatedAtMs: Date.parse('2026-06-01T08:00:00Z'),
      messageCount: 1,
      resumeCommand: `cd '/work/app' && cline --id '${id}'`,
    })
    home.write(`${folder}/${id}.json`, { session_id: id, workspace_root: '/work/root', prompt: 'unused' })
    const [plain] = (await home.read(clineReader())).files
    expect(plain?.facts).toMatchObject({ title: 'Hello there', cwd: '/work/root' })
  })

  it('takes the words out of what the program wraps them in', async () => {
    using home = createAgentHome()
    home.write(
      `${folder}/${id}.messages.json`,
      messages(
        {
          role: 'user',
          content: [
            {
              type: 'text',
              text: '<user_input mode="plan"><mode_notice>plan mode</mode_notice>Draw a map</user_input>',
            },
            { type: 'file', path: '/work/a.ts', content: 'not said' },
          ],
        },
        { role: 'user', metadata: { displayRole: 'status' }, content: 'Context was compacted' },
      ),
    )
    const [read] = (await home.read(clineReader())).files
    expect(read?.said).toEqual(['user: Draw a map', 'tool: Context was compacted'])
    expect(read?.facts.messageCount).toBe(1)
  })

  it('gives subagents to their session', async () => {
    using home = createAgentHome()
    home.write(`${folder}/${id}.json`, { session_id: id, cwd: '/work/app' })
    home.write(`${folder}/agent_1.messages.json`, messages({ role: 'user', content: 'Read all files' }))
    const [part] = (await home.read(clineReader())).files
    expect(part).toMatchObject({ kind: 'part', said: ['assistant: Read all files'] })
    expect(part?.facts).toMatchObject({ sessionId: id, messageCount: 0, resumeCommand: null })
  })

  it('counts messages it cannot read and fails a document that is cut short', async () => {
    using home = createAgentHome()
    home.write(`${folder}/${id}.messages.json`, {
      messages: [7, { role: 'narrator', content: 'x' }, { role: 'user', content: 'y' }],
    })
    const [read] = (await home.read(clineReader())).files
    expect(read?.unread).toEqual({ badLines: 1, unknownRecords: 1 })
    home.write(`${folder}/${id}.messages.json`, '{"messages":[')
    expect(Object.values((await home.read(clineReader())).failures)).toEqual([
      'The document is not complete JSON.',
    ])
  })
})
