/** Configurations that cannot be meant, as `trawl` and `trawl-agent` meet them. */
import { writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  agentProgram,
  createRealHome,
  gatewayProgram,
  type RealHome,
  whyNoBuild,
} from '../helpers/real-hosts.ts'
import { runProgram, startServedGateway, writeConfig } from '../helpers/served-gateway.ts'

describe.skipIf(whyNoBuild() !== null)('a configuration', () => {
  let home: RealHome
  beforeEach(async () => {
    home = await createRealHome()
    await home.writeClaude({ sessionId: 'kept', at: '2026-01-01T00:00:00Z', user: 'keptwords' })
  })
  afterEach(async () => await home?.[Symbol.asyncDispose]())

  const run = async (program: string, ...args: string[]) =>
    await runProgram(program, args, { ...home.env, TRAWL_CONFIG: `${home.homeDir}/config.toml` })

  it.each([
    ['trawl search', gatewayProgram, ['search', 'keptwords'], 78],
    ['trawl serve', gatewayProgram, ['serve', '--listen', '127.0.0.1:0'], 78],
    ['trawl-agent index', agentProgram, ['index'], 2],
    ['trawl-agent stdio', agentProgram, ['stdio'], 2],
  ])(
    'that is not TOML ends %s with its file, line and column, and shows the line',
    async (_name, program, args, code) => {
      const file = await writeConfig(home, 'listen = "127.0.0.1:0"\n\nlegTimeoutMs = = 5\n')
      const { exitCode, stdout, stderr } = await run(program, ...args)
      expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' })
      expect(stderr).toContain(`${file}, line 3, column 16`)
      expect(stderr).toContain('legTimeoutMs = = 5')
      expect(stderr).not.toMatch(/\n\s+at /)
    },
  )

  it('with a value that is not allowed names its line, its key and what is allowed', async () => {
    const file = await writeConfig(home, '# mine\nlegTimeoutMs = "fast"\n')
    const { exitCode, stderr } = await run(gatewayProgram, 'search', 'keptwords')
    expect(exitCode).toBe(78)
    expect(stderr).toBe(
      `${file}, line 2: legTimeoutMs must be a whole number of milliseconds from 50 to 600000.\n`,
    )
  })

  it('that is no text at all is refused as that', async () => {
    const file = await writeConfig(home, '')
    await writeFile(file, Buffer.from([0xff, 0xfe, 0x00, 0x6c]))
    const { exitCode, stderr } = await run(gatewayProgram, 'search', 'keptwords')
    expect(exitCode).toBe(78)
    expect(stderr).toContain(`${file} is not UTF-8 text`)
  })

  it('with one bad host leaves that one out, says which, where and why, and the rest works', async () => {
    const file = await writeConfig(
      home,
      `[[hosts]]
id = "runtime:bad"
url = "https://not-a-socket"
token = "t"

[[hosts]]
id = "nonsense"
`,
    )
    await using gateway = await startServedGateway(home, { TRAWL_CONFIG: file })
    const { hits, hosts } = await gateway.search({
      query: 'keptwords',
      executionHostId: 'all',
      freshness: 'wait-until-current',
    })
    expect(hits.map((hit) => hit.sessionId)).toEqual(['kept'])
    expect(hosts?.map(({ executionHostId, outcome, reason }) => [executionHostId, outcome, reason])).toEqual([
      ['local', 'results', undefined],
      ['runtime:bad', 'unreachable', 'not-configured'],
      ['nonsense', 'unreachable', 'not-configured'],
    ])
    const listed = await run(gatewayProgram, 'hosts')
    expect(listed.stdout).toContain('url must start with ws:// or wss://')
    const searched = await run(gatewayProgram, 'search', 'nothinghasthis')
    expect(searched.stderr).toContain('Nothing found on local.')
    expect(searched.stderr).toContain('runtime:bad was not searched: not usable as configured.')
  })
})
