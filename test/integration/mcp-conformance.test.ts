/**
 * The protocol's own conformance command against `/mcp`. Its other server scenarios want a server made for them, with tools,
 * resources, prompts and logging of given names (`test_simple_text`, …), which a product does not have.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refuseOrigin } from '../../gateway/access/origin.ts'
import { createUnlimitedTraffic } from '../../gateway/access/traffic.ts'
import { createHttpServer } from '../../gateway/serve/http.ts'
import { repositoryRoot } from '../helpers/bundle.ts'
import { runProgram } from '../helpers/served-gateway.ts'

const conformance = join(repositoryRoot, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const onNode20 = fileURLToPath(new URL('../helpers/conformance-on-node-20.js', import.meta.url))

describe('/mcp and the conformance command', () => {
  let app: FastifyInstance
  let url: string

  beforeAll(async () => {
    // The command shows no credential, so this door wants none; everything else is the gateway's.
    const caller = { exposure: 'relay', name: 'conformance' } as const
    app = createHttpServer({
      refuseOrigin,
      callerFor: () => caller,
      callerOf: () => caller,
      traffic: createUnlimitedTraffic(),
      isNear: () => false,
      beginPairing: null,
      methodsFor: async () => new Map(),
      version: '9.9.9',
      createId: () => 'id',
      onFault: () => {},
      onRefused: () => {},
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const address = app.server.address()
    url = `http://localhost:${typeof address === 'object' ? address?.port : ''}/mcp`
  })
  afterAll(async () => await app?.close())

  it.each(['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'])(
    'passes %s',
    async (scenario) => {
      const { exitCode, stdout, stderr } = await runProgram(
        conformance,
        ['server', '--url', url, '--scenario', scenario],
        { PATH: process.env.PATH, NODE_OPTIONS: `--import ${onNode20}` },
      )
      expect(stdout + stderr).toMatch(/Passed: (\d+)\/\1, 0 failed/)
      expect(exitCode).toBe(0)
    },
    60_000,
  )
})
