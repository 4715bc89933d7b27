/** The interactive list in a real terminal, over a real gateway with a real agent. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRealHome, gatewayProgram, type RealHome, whyNoBuild } from '../helpers/real-hosts.ts'
import { type ServedGateway, startServedGateway } from '../helpers/served-gateway.ts'
import { openTestTerminal, whyNoTerminal } from '../helpers/terminal.ts'

const session = (sessionId: string, day: number, user: string) => ({
  sessionId,
  at: `2026-01-0${day}T00:00:00Z`,
  user,
})

describe.skipIf(whyNoBuild() !== null || whyNoTerminal() !== null)('trawl QUERY on a terminal', () => {
  let home: RealHome
  let gateway: ServedGateway
  beforeAll(async () => {
    home = await createRealHome()
    await home.writeClaude(session('one', 1, 'the plover counts its eggs'))
    await home.writeClaude(session('two', 2, 'a plover and a lapwing\u001b[31m red \u202e\u0000 text'))
    gateway = await startServedGateway(home)
    await gateway.search({ query: 'plover', executionHostId: 'local', freshness: 'wait-until-current' })
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
  })
  const open = async (query = 'plover') =>
    await openTestTerminal(`'${process.execPath}' '${gatewayProgram}' ${query}; echo "left with $?"`, {
      ...home.env,
      TERM: 'screen-256color',
      LANG: 'C.UTF-8',
      PS1: '$ ',
    })

  it('lists, reads, resumes, refines, and leaves the screen as it was', async () => {
    await using terminal = await open()
    const listed = await terminal.until(/● local 2 ·/)
    expect(listed).toMatch(/> .*lapwing/)
    expect(listed.indexOf('lapwing')).toBeLessThan(listed.indexOf('eggs'))
    await terminal.press('r')
    await terminal.until(/claude --resume 'two'/)
    await terminal.press('Down')
    await terminal.until(/> .*eggs/)
    await terminal.press('Enter')
    await terminal.until(/▶ the plover counts its eggs/)
    await terminal.press('n')
    await terminal.until(/No further match/)
    await terminal.press('q')
    await terminal.until(/> .*eggs/)
    await terminal.press('/')
    await terminal.press('-l', ' lapwing')
    await terminal.until(/● local 1 ·/)
    await terminal.press('Enter')
    await terminal.until(/> .*lapwing/)
    await terminal.resize(50, 12)
    await terminal.until(/> a plover/)
    await terminal.press('q')
    const left = await terminal.until(/left with 0/)
    expect(left).not.toContain('● local')
  })

  it('Ctrl-C restores the terminal and answers at once', async () => {
    await using terminal = await open()
    await terminal.until(/● local 2 ·/)
    await terminal.press('C-c')
    expect(await terminal.until(/left with 130/)).not.toContain('● local')
  })

  it('says what is not found, and by whom', async () => {
    await using terminal = await open('zzzznothing')
    await terminal.until(/Nothing found on local\./)
  })
})
