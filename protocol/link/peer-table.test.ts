import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../test/helpers/manual-clock.ts'
import { createPeerTable, type PeerFile } from './peer-table.ts'

function table(file: PeerFile = { version: 1, peers: [], revoked: [] }) {
  const clock = createManualClock()
  const saved: PeerFile[] = []
  let made = 0
  let isFailing = false
  const peers = createPeerTable({
    clock,
    file,
    save: async (next) => {
      if (isFailing) throw new Error('disk full')
      saved.push(next)
    },
    makeToken: () => `token-${++made}`,
    digest: (text) => createHash('sha256').update(text).digest('hex'),
  })
  const failNext = () => {
    isFailing = true
    setImmediate(() => {
      isFailing = false
    })
  }
  return { clock, saved, peers, failNext }
}

describe('createPeerTable', () => {
  it('stores the hash of a token and never the token, and knows it again after a restart', async () => {
    const { saved, peers } = table()
    const { token } = await peers.issue('desk', 'number')
    expect(JSON.stringify(saved)).not.toContain(token)
    const { peers: again } = table(saved.at(-1) ?? { version: 1, peers: [], revoked: [] })
    expect(again.check(token)).toBe('desk')
    expect(again.check('token-2')).toBeNull()
  })

  it('numbers a name that is taken, or replaces it and its token', async () => {
    const { peers } = table()
    const first = await peers.issue('desk', 'number')
    const second = await peers.issue('desk', 'number')
    expect(second.name).toBe('desk-2')
    const third = await peers.issue('desk', 'replace')
    expect(third.name).toBe('desk')
    expect(peers.check(first.token)).toBeNull()
    expect(peers.check(second.token)).toBe('desk-2')
    expect(peers.check(third.token)).toBe('desk')
  })

  it('lets nobody in, and shuts nobody out, where that could not be written down', async () => {
    const { peers, failNext } = table()
    const { token } = await peers.issue('desk', 'number')
    failNext()
    await expect(peers.issue('desk', 'replace')).rejects.toThrow('disk full')
    failNext()
    await expect(peers.admit('phone', 'phone-token', { kind: 'mobile', may: [] })).rejects.toThrow()
    expect(peers.list().map(({ name }) => name)).toEqual(['desk'])
    expect(peers.find('phone-token')).toBeNull()
    expect(peers.check(token)).toBe('desk')
  })

  it('forgets a revoked token at once, and says whether there was one', async () => {
    const { peers, saved } = table()
    const { token } = await peers.issue('desk', 'number')
    const revoking = peers.revoke('desk')
    expect(peers.check(token)).toBeNull()
    expect(await revoking).toBe(true)
    expect(saved.at(-1)?.peers).toEqual([])
    expect(await peers.revoke('desk')).toBe(false)
  })

  it('notes when a peer was seen, and writes that down once a minute at most', async () => {
    const { clock, peers, saved } = table()
    const { token } = await peers.issue('desk', 'number')
    expect(peers.list()).toEqual([{ name: 'desk', createdAt: clock.now(), lastSeenAt: null }])
    for (let times = 0; times < 3; times++) peers.check(token)
    await clock.pass(0)
    expect(saved).toHaveLength(2)
    const firstSeenAt = clock.now()
    await clock.pass(60_000)
    peers.check(token)
    await clock.pass(0)
    expect(saved).toHaveLength(3)
    expect(peers.list()[0]?.lastSeenAt).toBe(firstSeenAt + 60_000)
  })
})
