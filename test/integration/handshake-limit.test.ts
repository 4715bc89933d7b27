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
import { createFaultDesk } from '../helpers/fault-desk.ts'
import { createScaledClock } from '../helpers/scaled-clock.ts'

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

  it('counts no wait behind other hosts against a host’s own time', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'trawl-queue-'))
    const clock = createScaledClock(20)
    // Four at a time, five seconds each: the last of them wait for half a minute, and an attempt has twenty seconds.
    const server = createServer((socket) => {
      socket.on('error', () => {})
      clock.after(5_000, () => socket.destroy())
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await writeFile(
      join(dir, 'ssh_config'),
      `Host box*\n  HostName 127.0.0.1\n  Port ${port}\n  IdentityAgent none\n`,
    )
    const toml = Array.from(
      { length: 28 },
      (_, at) => `[[hosts]]\nid = "ssh:box${at}"\nssh.configFile = "${join(dir, 'ssh_config')}"\n`,
    ).join('')
    await using desk = await createFaultDesk({ hosts: toml, homeDir: dir, clock, random: () => 0.999 })
    const outcomes: (string | undefined)[] = []
    for (let at = 0; at < 28; at++)
      outcomes.push((await desk.until(`ssh:box${at}`, ({ state }) => state === 'offline')).reason)
    expect(new Set(outcomes)).toEqual(new Set(['offline']))
    server.close()
    await rm(dir, { recursive: true, force: true })
  })
})
