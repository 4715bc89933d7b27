import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../../test/helpers/agent-home.ts'
import { ampReader } from './amp.ts'

const id = 'T-11111111-2222-4333-8444-555555555555'
const path = `.local/share/amp/threads/${id}.json`

async function readThread(thread: unknown) {
  using home = createAgentHome()
  home.write(path, thread)
  const [file] = (await home.read(ampReader())).files
  if (file === undefined) throw new Error('not found')
  return file
}

describe('ampReader', () => {
  const { roots, formatOf } = ampReader()

  it('looks where the platform keeps data, and takes threads alone', () => {
    const environment = { homeDir: '/home/dev', platform: 'linux', env: {} } as const
    expect(roots(environment)).toEqual([{ path: '/home/dev/.local/share/amp/threads' }])
    expect(roots({ ...environment, env: { XDG_DATA_HOME: '/d' } })).toEqual([{ path: '/d/amp/threads' }])
    expect(formatOf(`${id}.json`)?.kind).toBe('document')
    expect(formatOf('secrets.json')).toBeNull()
    expect(formatOf(`${id}.json.bak`)).toBeNull()
  })

  it('reads texts, calls and the results within runs', async () => {
    const read = await readThread({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Go' },
            { type: 'image', source: {} },
          ],
          meta: { sentAt: 1767322800000 },
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'tool_use', id: 'a', name: 'edit_file', input: { path: 'a.ts' } },
          ],
          usage: { timestamp: '2026-01-02T03:00:05Z' },
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', toolUseID: 'a', run: { status: 'done', result: { diff: '+new' } } },
            { type: 'tool_result', toolUseID: 'b', run: { status: 'error', error: { message: 'refused' } } },
            { type: 'tool_result', toolUseID: 'c', run: { status: 'done', result: 'plain' } },
          ],
        },
        { role: 'narrator', content: 'x' },
        null,
      ],
    })
    expect(read.said).toEqual([
      'user: Go',
      'assistant: hm',
      'tool: edit_file: a.ts',
      'tool: +new',
      'tool: refused',
      'tool: plain',
    ])
    expect(read.times[0]).toBe('2026-01-02T03:00:00.000Z')
    expect(read.unread).toEqual({ badLines: 1, unknownRecords: 1 })
    expect(read.facts).toMatchObject({ sessionId: id, title: 'Go', messageCount: 2 })
  })

  it('takes folder and branch as they are recorded', async () => {
    const trees = [{ uri: 'file:///work/my%20app', repository: { ref: 'refs/heads/fix/tide' } }]
    const { facts } = await readThread({
      title: 'Tide',
      created: 1767322700000,
      messages: [{ role: 'user', content: 'Go' }],
      env: { initial: { trees } },
      meta: { traces: [{ endTime: '2026-01-02T04:00:00Z' }, {}] },
    })
    expect(facts).toEqual({
      sessionId: id,
      title: 'Tide',
      cwd: '/work/my app',
      branch: 'fix/tide',
      createdAtMs: 1767322700000,
      updatedAtMs: Date.parse('2026-01-02T04:00:00Z'),
      messageCount: 1,
      resumeCommand: `cd '/work/my app' && amp threads continue '${id}'`,
    })
  })

  it('searches nothing in a stub and fails a thread that is cut short', async () => {
    expect((await readThread({ id, title: 'On the server' })).kind).toBe('none')
    using home = createAgentHome()
    home.write(path, '{"messages":')
    expect((await home.read(ampReader())).failures).toEqual({ [path]: 'The document is not complete JSON.' })
  })
})
