import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AgentHome, createAgentHome } from '../../test/helpers/agent-home.ts'
import { addMessage, addSession, opencodeTables, text } from '../../test/helpers/opencode-records.ts'
import { readOnlyFile } from '../../test/helpers/read-files.ts'
import { zcodeReader } from './zcode.ts'

let home: AgentHome
beforeEach(() => {
  home = createAgentHome()
})
afterEach(() => home[Symbol.dispose]())

describe('zcodeReader', () => {
  it('tells a session; what is hidden or the system’s is a tool’s', async () => {
    const db = home.database('.zcode/cli/db/db.sqlite', opencodeTables)
    addSession(db, { id: 'z1', title: 'Sort the seeds' })
    addMessage(db, 'z1', 'm0', 0, 'system', [text('You sort.')])
    addMessage(db, 'z1', 'm1', 1, 'user', [text('A nudge')], {
      semantics: { transcriptVisibility: 'hidden' },
    })
    addMessage(db, 'z1', 'm2', 2, 'user', [text('Sort them')], {
      semantics: { transcriptVisibility: 'visible' },
    })
    addMessage(db, 'z1', 'm3', 3, 'model', [
      { type: 'thinking', thinking: 'By size.' },
      { type: 'text', content: [{ type: 'text', text: 'I begin.' }] },
      { type: 'tool_use', id: 'c', name: 'Bash', input: { command: 'sort seeds' } },
      { type: 'tool_result', tool_use_id: 'c', content: 'sorted' },
    ])
    const { path, said, facts, unread } = await readOnlyFile(home, zcodeReader())
    expect(path).toBe('.zcode/cli/db/db.sqlite#z1')
    expect(said).toEqual([
      'tool: You sort.',
      'tool: A nudge',
      'user: Sort them',
      'assistant: By size.\nI begin.',
      'tool: Bash: sort seeds',
      'tool: sorted',
    ])
    expect(unread).toEqual({ badLines: 0, unknownRecords: 0 })
    expect(facts).toMatchObject({
      title: 'Sort the seeds',
      messageCount: 2,
      resumeCommand: null,
      cwd: '/work/loom',
    })
  })

  it('looks for its database alone', () => {
    const reader = zcodeReader()
    expect(reader.roots({ homeDir: 'C:\\a', platform: 'win32', env: {} })).toEqual([
      { path: 'C:\\a\\.zcode\\cli\\db' },
    ])
    expect([reader.formatOf('db.sqlite-wal'), reader.enters?.('backups')]).toEqual([null, false])
  })
})
