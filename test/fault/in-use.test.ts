/** Addresses that somebody else has, as the real commands meet them. More of the gateway's own in gateway-doors.test.ts. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  agentProgram,
  createRealHome,
  gatewayProgram,
  type RealHome,
  whyNoBuild,
} from '../helpers/real-hosts.ts'
import { runProgram, startServedGateway } from '../helpers/served-gateway.ts'

describe.skipIf(whyNoBuild() !== null)('an address in use', () => {
  let home: RealHome
  beforeEach(async () => {
    home = await createRealHome()
  })
  afterEach(async () => await home?.[Symbol.asyncDispose]())

  async function takenPort() {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (typeof address !== 'object' || address === null) throw new Error('no port')
    return { port: address.port, [Symbol.asyncDispose]: async () => void server.close() }
  }

  it('ends trawl serve with the port, what to do, and on Linux by whom', async () => {
    await using taken = await takenPort()
    const args = ['serve', '--listen', `127.0.0.1:${taken.port}`]
    const { exitCode, stderr } = await runProgram(gatewayProgram, args, home.env)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`Port ${taken.port} is in use`)
    expect(stderr).toContain(`trawl serve --listen 127.0.0.1:${taken.port + 1}`)
    if (process.platform === 'linux') expect(stderr).toContain(`process ${process.pid}`)
  })

  it('ends a second trawl serve of the same data directory with the first one’s process, which goes on', async () => {
    await using gateway = await startServedGateway(home)
    const { exitCode, stderr } = await runProgram(
      gatewayProgram,
      ['serve', '--listen', '127.0.0.1:0'],
      home.env,
    )
    expect(exitCode).toBe(2)
    expect(stderr).toContain(join(home.dataDir, 'gateway.sock'))
    expect(stderr).toContain(`process ${gateway.child.pid}`)
    expect(await gateway.call('hosts.list', {})).toMatchObject({ result: {} })
  })

  it('ends trawl-agent listen with the port and what to do', async () => {
    await using taken = await takenPort()
    const args = ['listen', '--listen', `127.0.0.1:${taken.port}`]
    const { exitCode, stderr } = await runProgram(agentProgram, args, home.env)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`Port ${taken.port} on 127.0.0.1 is in use`)
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  it('[link.71] as an index: two agents of one machine index side by side, and neither loses or doubles anything', async () => {
    for (let at = 0; at < 20; at++)
      await home.writeClaude({
        sessionId: `s${at}`,
        at: '2026-01-01T00:00:00Z',
        user: `sharedwords of ${at}`,
      })
    const runs = await Promise.all(
      [1, 2, 3].map(async () => await runProgram(agentProgram, ['index'], home.env)),
    )
    for (const { exitCode, stderr } of runs) expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    const { stdout } = await runProgram(gatewayProgram, ['search', '--limit', '100', 'sharedwords'], home.env)
    expect(stdout.trim().split('\n')).toHaveLength(20)
  })
})
