import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { livenessIntervalMs } from '../../protocol/rpc/message-channel.ts'
import { createManualClock, type ManualClock } from '../../test/helpers/manual-clock.ts'
import { askResident, closed } from './ask-resident.ts'
import { openResidentDoor, type ResidentDoor } from './resident-door.ts'
import { isNewerBuild } from './resident-greeting.ts'

const build = { version: '1.2.0', builtMs: 5 }
const graceMs = 10_000

describe.skipIf(process.platform === 'win32')('the resident agent’s door', () => {
  let dir: string
  let socketPath: string
  let clock: ManualClock
  let door: ResidentDoor
  let isOver: boolean
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'trawl-door-'))
    socketPath = join(dir, 'a.sock')
    clock = createManualClock()
    door = await open()
    isOver = false
    void door.over.then(() => {
      isOver = true
    })
  })
  afterEach(async () => {
    await door[Symbol.asyncDispose]()
    await rm(dir, { recursive: true })
  })

  const open = () =>
    openResidentDoor({
      socketPath,
      build,
      pid: 42,
      graceMs,
      clock,
      methods: new Map(),
      createId: () => 'id',
      onFault: () => {},
    })

  async function ask(word: 'join' | 'status' | 'stop', as = build) {
    const answer = await askResident(socketPath, word, as, clock)
    if (typeof answer === 'string') throw new Error(answer)
    return answer
  }

  async function leave(socket: Socket): Promise<void> {
    const { connections } = (await ask('status')).reply
    socket.end()
    while ((await ask('status')).reply.connections === connections);
  }

  async function over(): Promise<boolean> {
    await new Promise((resolve) => setImmediate(resolve))
    return isOver
  }

  it('is over when nobody has come for the grace time', async () => {
    clock.advance(graceMs - 1)
    expect(await over()).toBe(false)
    clock.advance(1)
    expect(await over()).toBe(true)
  })

  it('counts the grace time from when the last bridge has left', async () => {
    const one = await ask('join')
    const two = await ask('join')
    clock.advance(2 * graceMs)
    await leave(one.socket)
    clock.advance(2 * graceMs)
    expect(await over()).toBe(false)
    await leave(two.socket)
    clock.advance(graceMs - 1)
    expect(await over()).toBe(false)
    clock.advance(1)
    expect(await over()).toBe(true)
  })

  it('does not take a question for a connection', async () => {
    clock.advance(graceMs - 1)
    expect((await ask('status')).reply).toMatchObject({
      word: 'status',
      pid: 42,
      version: '1.2.0',
      connections: 0,
    })
    clock.advance(1)
    expect(await over()).toBe(true)
  })

  it('lets older builds in, and makes way for newer ones and on a word', async () => {
    expect((await ask('join', { version: '1.1.9', builtMs: 9 })).reply.word).toBe('joined')
    expect((await ask('join', { ...build, builtMs: 4 })).reply.word).toBe('joined')
    expect(await over()).toBe(false)
    expect((await ask('join', { ...build, builtMs: 6 })).reply.word).toBe('leaving')
    expect(await over()).toBe(true)
  })

  it('ends its bridges when it is closed, and takes its socket away, but not another one in its place', async () => {
    const { socket } = await ask('join')
    await rm(socketPath)
    const next = await open()
    await door[Symbol.asyncDispose]()
    await closed(socket)
    expect(existsSync(socketPath)).toBe(true)
    await next[Symbol.asyncDispose]()
    expect(existsSync(socketPath)).toBe(false)
  })

  it('drops a gateway that has not been heard for a minute, and none that pings', async () => {
    const [silent, alive] = [await ask('join'), await ask('join')]
    const answers = createInterface(alive.socket)[Symbol.asyncIterator]()
    await answers.next()
    for (let id = 1; id <= 4; id++) {
      expect(silent.socket.destroyed).toBe(false)
      alive.socket.write(`{"jsonrpc":"2.0","id":${id},"method":"$/ping"}\n`)
      expect(JSON.parse((await answers.next()).value)).toMatchObject({ id })
      clock.advance(livenessIntervalMs)
    }
    await closed(silent.socket)
    expect((await ask('status')).reply.connections).toBe(1)
  })

  it('drops whoever says something else, or nothing for five seconds', async () => {
    const loud = connect(socketPath)
    loud.write('GET / HTTP/1.1\r\n\r\n')
    await closed(loud)
    const mute = connect(socketPath)
    await new Promise<void>((resolve) => mute.once('connect', resolve))
    await ask('status')
    clock.advance(5_000)
    await closed(mute)
  })
})

describe('isNewerBuild', () => {
  it.each([
    ['1.2.0', 1, '1.1.9', 9, true],
    ['1.10.0', 1, '1.9.0', 1, true],
    ['1.2.0', 2, '1.2.0', 1, true],
    ['1.2.0', 1, '1.2.0', 1, false],
    ['1.2.0', 9, '1.2.1', 1, false],
  ])('%s of %i before %s of %i: %s', (version, builtMs, otherVersion, otherBuiltMs, expected) => {
    expect(isNewerBuild({ version, builtMs }, { version: otherVersion, builtMs: otherBuiltMs })).toBe(
      expected,
    )
  })
})
