/** A reconnect wave must not look like an attack: few SSH handshakes at once to one server, however many hosts it is. */
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../gateway/config.ts'
import { createGateway } from '../../gateway/gateway.ts'
import { maxHandshakesPerServer } from '../../gateway/hosts/build-hosts.ts'
import { systemClock } from '../../protocol/clock.ts'

const hostCount = 12

describe('createGateway', () => {
  it('opens at most four SSH handshakes at once to one server, and gets to every host', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'trawl-wave-'))
    const open = new Set<Socket>()
    let most = 0
    let all = 0
    // Accepts, holds each caller until nobody else may come, and turns it away.
    const server = createServer((socket) => {
      open.add(socket)
      most = Math.max(most, open.size)
      all++
      socket.on('error', () => {})
      socket.on('close', () => open.delete(socket))
      if (open.size === maxHandshakesPerServer || all > hostCount - maxHandshakesPerServer) {
        setTimeout(() => open.forEach((each) => void each.destroy()), 50)
      }
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const aliases = Array.from({ length: hostCount }, (_, at) => `box${at}`)
    await writeFile(
      join(dir, 'ssh_config'),
      aliases
        .map((alias) => `Host ${alias}\n  HostName 127.0.0.1\n  Port ${port}\n  IdentityAgent none\n`)
        .join(''),
    )
    const toml = aliases
      .map((alias) => `[[hosts]]\nid = "ssh:${alias}"\nssh.configFile = "ssh_config"\n`)
      .join('')
    const gateway = createGateway({
      config: parseConfig(toml, {
        file: join(dir, 'config.toml'),
        homeDir: dir,
        isOpenToOthers: false,
        isThere: true,
      }),
      dataDir: dir,
      agentCommand: [process.execPath, '-e', ''],
      env: { PATH: process.env.PATH },
      homeDir: dir,
      log: pino({ level: 'silent' }),
      clock: systemClock,
      random: () => 0.999,
      createId: () => 'id',
    })
    try {
      await gateway.settled(20_000)
      expect(all).toBeGreaterThanOrEqual(hostCount)
      expect(most).toBe(maxHandshakesPerServer)
    } finally {
      await gateway[Symbol.asyncDispose]()
      server.close()
      await rm(dir, { recursive: true, force: true })
    }
  })
})
