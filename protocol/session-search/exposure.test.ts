import { describe, expect, it } from 'vitest'
import { redactPageForTransport, redactStatusForTransport } from './exposure.ts'
import type { ReadSessionResponse } from './read-session.ts'
import { absentServiceStatus, type SearchStatus, searchStatusSchema } from './status.ts'

const status: SearchStatus = {
  ...absentServiceStatus,
  enabled: true,
  filesFailed: 1,
  unreadLines: 3,
  unreadFiles: [
    { path: '/home/mira/secret.jsonl', agent: 'claude', reason: '/home/mira may not be read', lines: 3 },
  ],
  watching: { mode: 'polling', reason: '/home/mira is on a disk that does not tell of every change' },
  writer: 'another-agent',
}

describe('redactStatusForTransport', () => {
  it('tells a relay that files were not read, and neither which nor why', () => {
    const told = redactStatusForTransport(status, 'relay')
    expect(JSON.stringify(told)).not.toContain('/home')
    expect(told).toMatchObject({
      filesFailed: 1,
      unreadLines: 3,
      unreadFiles: [{ agent: 'claude', lines: 3 }],
      watching: { mode: 'polling' },
      writer: 'another-agent',
    })
    expect(searchStatusSchema.parse(told)).toEqual(told)
  })

  it.each(['ipc', 'runtime'] as const)('tells %s, which is the same machine, everything', (transport) => {
    expect(redactStatusForTransport(status, transport)).toEqual(status)
  })
})

describe('redactPageForTransport', () => {
  const page: ReadSessionResponse = {
    kind: 'messages',
    messages: [],
    page: { cursor: null, hasMore: false, previousCursor: null },
    session: {
      agent: 'claude',
      sessionId: 'a',
      title: 'A',
      messageCount: 0,
      cwd: '/work',
      resumeCommand: 'cd /home/mira && claude --resume a',
    },
  }

  it('keeps the resume command from a relay, and nothing else', () => {
    const { resumeCommand: _kept, ...session } = page.session
    expect(redactPageForTransport(page, 'relay')).toEqual({ ...page, session })
    expect(redactPageForTransport({ kind: 'stale-cursor' }, 'relay')).toEqual({ kind: 'stale-cursor' })
  })

  it.each(['ipc', 'runtime'] as const)('gives %s all of it', (transport) => {
    expect(redactPageForTransport(page, transport)).toEqual(page)
  })
})
