import { describe, expect, it } from 'vitest'
import { redactStatusForTransport } from './exposure.ts'
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
