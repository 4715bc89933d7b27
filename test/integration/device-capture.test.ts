/**
 * Every byte that paired clients receive of a gateway over three real hosts – over POST, WebSocket and MCP, rightly and
 * wrongly asked, while all works and when nothing does – and no planted path, token, command or home in it. The owner,
 * asked the same, is told of the plants: they are there to find.
 */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askGateway, type GatewayAnswers } from '../helpers/ask-gateway.ts'
import { type PlantedGateway, startPlantedGateway } from '../helpers/planted-gateway.ts'
import { foundPlants, plantedBytes } from '../helpers/planted-home.ts'
import { whyNoBuild } from '../helpers/real-hosts.ts'

describe.skipIf(whyNoBuild() !== null)('what leaves a gateway', () => {
  let gateway: PlantedGateway
  let answers: GatewayAnswers

  beforeAll(async () => {
    gateway = await startPlantedGateway()
    answers = await askGateway(gateway)
  }, 120_000)
  afterAll(async () => await gateway?.[Symbol.asyncDispose]())

  it('[exposure.relay] [exposure.class-from-connection] to paired clients holds no byte of a planted path, token, command or home', () => {
    const captured = gateway.captured('relay')
    expect(foundPlants(captured, gateway.plants())).toEqual([])
    const planted = plantedBytes(captured, gateway.plants())
    process.stdout.write(`${captured.length} bytes to paired clients, ${planted} of them planted\n`)
    expect(planted).toBe(0)
  })

  it('is the whole conversation: every kind of answer, on every carrier, from every host', () => {
    expect(answers.relay).toEqual([
      'error',
      'forbidden',
      'internal',
      'invalid_input',
      'invalid_path',
      'malformed-cursor',
      'messages',
      'not_found',
      'results',
      'unknown_host',
      'unreachable',
      'value',
    ])
    const captured = gateway.captured('relay')
    for (const { id } of gateway.hosts) expect(captured).toContain(`"executionHostId":"${id}"`)
    for (const text of [
      '"$/progress"',
      'Source root could not be verified.',
      '[[timer]]',
      '"cwd":"/work/app"',
      '"state":"quarantined"',
      'HTTP/1.1 401',
      'HTTP/1.1 403',
      'HTTP/1.1 404',
      'HTTP/1.1 413',
      'HTTP/1.1 415',
      'HTTP/1.1 429',
      'HTTP/1.1 101',
      'structuredContent',
      '"code":"response_too_large"',
      '"code":"invalid_path"',
      '"outcome":"unreachable","reason":"not-configured"',
    ])
      expect(captured).toContain(text)
  })

  it('[exposure.ipc] to the owner holds what is this machine’s, and what is wrong with the hosts', () => {
    const captured = gateway.captured('owner')
    expect(foundPlants(captured, gateway.plants()).sort()).toEqual(
      [
        'Codex home of local',
        'configuration of ssh',
        'data directory of local',
        'degraded root of local',
        'home directory of local',
        'index file',
        'resume command of Claude Code',
        'resume command of Codex',
        'rollout file',
        'the folder of everything of local',
        'token file',
        'transcript file',
        'transcript folder',
        'what a host says',
        'what is broken inside',
        'why it is degraded',
      ].sort(),
    )
    expect(plantedBytes(captured, gateway.plants())).toBeGreaterThan(1_000)
  })

  it('would be found inside a cursor too', () => {
    const path = join('/', 'plantedlaptophome', 'x')
    const inner = Buffer.from(JSON.stringify({ at: path })).toString('base64url')
    const outer = Buffer.from(JSON.stringify({ 'ssh:a': inner })).toString('base64url')
    expect(foundPlants(`{"cursor":"${outer}"}`, { home: 'plantedlaptophome' })).toEqual(['home'])
    expect(plantedBytes(`{"cursor":"${outer}"}`, { home: 'plantedlaptophome' })).toBe(17)
  })
})
