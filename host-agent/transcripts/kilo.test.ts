import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AgentHome, createAgentHome } from '../../test/helpers/agent-home.ts'
import { addMessage, addSession, epochMs, opencodeTables, text } from '../../test/helpers/opencode-records.ts'
import { readFiles } from '../../test/helpers/read-files.ts'
import { kiloReader } from './kilo.ts'

const reader = kiloReader()
const data = '.local/share/kilo'
const tasks = '.config/Code/User/globalStorage/kilocode.kilo-code/tasks'

let home: AgentHome
beforeEach(() => {
  home = createAgentHome()
})
afterEach(() => home[Symbol.dispose]())

describe('kiloReader', () => {
  it('reads the database, the folders before it, and the VS Code tasks before those', async () => {
    const db = home.database(`${data}/kilo.db`, opencodeTables)
    addSession(db, { id: 'ses_1' })
    addMessage(db, 'ses_1', 'msg_1', 1, 'user', [text('In the database')])
    for (const id of ['ses_1', 'ses_2']) {
      home.write(`${data}/storage/session/p/${id}.json`, { id, title: 'Old', time: { created: epochMs } })
      home.write(`${data}/storage/message/${id}/m.json`, {
        id: `m_${id}`,
        role: 'user',
        time: { created: epochMs },
      })
      home.write(`${data}/storage/part/m_${id}/p.json`, { id: 'p', type: 'text', text: `In a folder ${id}` })
    }
    home.write(
      `${tasks}/1772355600000/ui_messages.json`,
      JSON.stringify([{ ts: 1772355600000, type: 'say', say: 'text', text: 'In a task' }]),
    )
    home.write(`${data}/log/kilo.json`, {})
    const files = await readFiles(home, reader)
    expect(
      files.map(({ facts, kind, said, unread }) => [facts.sessionId, kind, said, unread.badLines]),
    ).toEqual([
      ['1772355600000', 'session', [expect.stringMatching(/: In a task$/)], 0],
      ['ses_1', 'session', ['user: In the database'], 0],
      ['ses_1', 'none', [], 0],
      ['ses_2', 'session', ['user: In a folder ses_2'], 0],
    ])
    expect(files.map(({ facts }) => facts.resumeCommand)).toEqual([
      null,
      "cd '/work/loom' && kilo --session 'ses_1'",
      null,
      "kilo --session 'ses_2'",
    ])
  })

  it('enters folders of tasks and of sessions, and no other', () => {
    const folders = [
      '1772355600000',
      '019f0000-0000-7000-8000-000000000002',
      'storage',
      'log',
      'snapshot',
      '1772355600000/checkpoints',
    ]
    expect(folders.map((folder) => reader.enters?.(folder))).toEqual([true, true, true, false, false, false])
  })

  it('is due where its own file or a task’s says so', () => {
    const root = { path: '/x' }
    const companions = (relativePath: string, sessionKey?: string) =>
      reader.companions?.({
        root,
        path: `/x/${relativePath}`,
        relativePath,
        ...(sessionKey === undefined ? {} : { sessionKey }),
      })
    expect(companions('kilo.db', 'ses_1')).toEqual([])
    expect(companions('storage/session/p/ses_1.json')).toEqual(['/x/storage/message/ses_1'])
    expect(companions('1/ui_messages.json')).toContain('/x/1/history_item.json')
  })
})
