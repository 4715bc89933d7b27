/**
 * Every byte a relay client receives, over a socket and over stdio, and none of what this machine keeps to itself in
 * it. The same questions asked with the machine's own token are answered with all of it, so the plants are there to find.
 */
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { degradedRootSentence } from '../../protocol/session-search/exposure.ts'
import { type Ask, breakIndex, createAsker } from '../helpers/ask-everything.ts'
import { startFaultProxy } from '../helpers/fault-proxy.ts'
import {
  commonPlants,
  foundPlants,
  type PlantedHome,
  type Plants,
  plantHome,
  sessionCount,
} from '../helpers/planted-home.ts'
import { startRealAgent } from '../helpers/real-agent.ts'
import { type ListeningAgent, startListeningAgent, whyNoBuild } from '../helpers/real-hosts.ts'

describe.skipIf(whyNoBuild() !== null)('a relay client', () => {
  let home: PlantedHome
  /** What no byte of may leave, by what it is. */
  let secrets: Plants

  beforeEach(async () => {
    home = await plantHome()
    secrets = { ...home.plants, ...commonPlants }
  })
  afterEach(async () => await home?.[Symbol.asyncDispose]())

  const found = (captured: string) => foundPlants(captured, secrets)

  /** @returns what the answers were, in short. */
  async function askEverything(ask: Ask): Promise<string[]> {
    const pathToTry = join(home.homeDir, '..')
    const asker = createAsker(ask, { sessionCount, pathToTry })
    await asker.askWorking()
    breakIndex(home.dataDir)
    await asker.askBroken()
    return asker.seen()
  }

  const everyKind = [
    'error',
    'internal',
    'invalid_input',
    'malformed-cursor',
    'messages',
    'not_found',
    'results',
    'unavailable',
    'value',
  ]

  async function askOverSocket(agent: ListeningAgent, token: string): Promise<string> {
    const chunks: Buffer[] = []
    const port = Number(new URL(agent.url).port)
    await using relay = await startFaultProxy(port, { onToClient: (chunk) => void chunks.push(chunk) })
    const url = `ws://127.0.0.1:${relay.port}/rpc`
    const refused = new WebSocket(url, { headers: { authorization: 'Bearer wrong' } })
    await new Promise((resolve) => refused.once('error', resolve))
    const socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
    })
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    const ask: Ask = (text) =>
      new Promise((resolve) => {
        socket.once('message', (data) => resolve(JSON.parse(String(data))))
        socket.send(text)
      })
    expect(await askEverything(ask)).toEqual(everyKind)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.close()
    await closed
    return Buffer.concat(chunks).toString('latin1')
  }

  it('[exposure.relay] [exposure.count-kept] [exposure.class-from-connection] of a listening agent receives no byte of it', async () => {
    await using agent = await startListeningAgent(home)
    const captured = await askOverSocket(agent, agent.peerToken)
    expect(found(captured)).toEqual([])
    expect(captured).toContain(degradedRootSentence)
    // It is the conversation that was captured.
    expect(captured).toContain('[[timer]]')
    expect(captured).toContain('"cwd":"/work/app"')
    expect(captured).not.toContain(agent.localToken)
  })

  it('[exposure.relay] of trawl-agent stdio, as SSH starts it, receives no byte of it, on stderr neither', async () => {
    await using agent = await startRealAgent(home)
    const waiting: ((answer: Awaited<ReturnType<Ask>>) => void)[] = []
    let rest = ''
    agent.child.stdout.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('utf8')).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) waiting.shift()?.(JSON.parse(line))
    })
    const ask: Ask = (text) =>
      new Promise((resolve) => {
        waiting.push(resolve)
        agent.child.stdin.write(`${text}\n`)
      })
    expect(await askEverything(ask)).toEqual(everyKind)
    expect(found(agent.written())).toEqual([])
    expect(found(agent.stderr())).toEqual([])
    expect(agent.stderr()).toMatch(/aiVault\.searchSessions failed \([0-9a-f-]{36}\)/)
    expect(agent.written()).toContain(degradedRootSentence)
    expect(agent.written()).toContain('[[timer]]')
  })

  it('[exposure.ipc] would have found it all: with the local token the same questions are answered with it', async () => {
    await using agent = await startListeningAgent(home)
    const captured = await askOverSocket(agent, agent.localToken)
    expect(found(captured).sort()).toEqual(
      Object.keys(secrets)
        .filter((name) => !['configuration file', 'program file', 'a stack'].includes(name))
        .sort(),
    )
    expect(captured).not.toContain(degradedRootSentence)
  })
})
