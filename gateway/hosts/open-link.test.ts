import { describe, expect, it } from 'vitest'
import { openConnection } from '../../protocol/rpc/connection.ts'
import { createInMemoryChannelPair } from '../../protocol/rpc/in-memory-channel.ts'
import { agentDescription } from '../../test/helpers/ws-agents.ts'
import { askVersion } from './open-link.ts'

const options = { methods: new Map(), maxMessageBytes: 16 * 1024 * 1024, createId: () => 'id' }

describe('askVersion', () => {
  it('takes of what a host calls its version no more than a version is long', async () => {
    const [near, far] = createInMemoryChannelPair()
    const description = { ...agentDescription, version: '9'.repeat(1_000_000) }
    openConnection(far, { ...options, methods: new Map([['host.describe', () => description]]) })
    await using connection = openConnection(near, options)
    expect(await askVersion(connection, new AbortController().signal)).toBe('9'.repeat(100))
  })
})
