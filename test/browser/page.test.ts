/** The page in a real browser, before a real gateway with this machine's own agent and a host that is not there. */
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { AxeResults } from 'axe-core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DeviceOffer, DeviceRequest } from '../../protocol/rpc/devices.ts'
import { repositoryRoot } from '../helpers/bundle.ts'
import { launchChromium, whyNoChromium } from '../helpers/chromium.ts'
import { createRealHome, type RealHome, whyNoBuild } from '../helpers/real-hosts.ts'
import { type ServedGateway, startServedGateway, writeConfig } from '../helpers/served-gateway.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const maxScriptBytes = 60 * 1024
const cannotRun = whyNoBuild() ?? whyNoChromium()

describe.skipIf(cannotRun !== null)('the page', () => {
  let home: RealHome
  let gateway: ServedGateway
  let browser: Browser
  let token: string

  beforeAll(async () => {
    home = await createRealHome('laptop')
    await home.writeClaude({
      sessionId: '00000000-0000-4000-8000-000000000001',
      at: '2026-01-02T12:00:00.000Z',
      user: 'reconnect <script>document.title="run"</script> \u202eloop',
    })
    const config = '[[hosts]]\nid = "runtime:gone"\nurl = "ws://127.0.0.1:1/rpc"\ntoken = "x"\n'
    gateway = await startServedGateway(home, { TRAWL_CONFIG: await writeConfig(home, config) })
    await gateway.search({ query: 'reconnect', freshness: 'wait-until-current' })
    token = (await readFile(join(home.dataDir, 'token'), 'utf8')).trim()
    browser = await launchChromium()
  })

  afterAll(async () => {
    await browser?.close()
    await gateway?.[Symbol.asyncDispose]()
    await home?.[Symbol.asyncDispose]()
  })

  it('shows hits, says which host is missing, and runs nothing of a transcript', async () => {
    const page = await browser.newPage({ viewport: { width: 320, height: 640 } })
    const complaints: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    await page.goto(gateway.url)
    await page.getByLabel('Token of this machine').fill(token)
    expect(await seriousFindings()).toEqual([])
    await page.getByRole('button', { name: 'Enter' }).click()
    await page.getByLabel('Search').fill('reconnect')
    await page.getByText('1 hit. Not searched: runtime:gone.').waitFor()
    expect(await page.locator('.hits mark').first().textContent()).toBe('reconnect')
    expect(await page.locator('.hits script').count()).toBe(0)
    expect(await page.title()).toBe('Trawl')
    await page.getByLabel('Search').fill('zzzqqq')
    await page.getByText('No hits on the hosts that answered. Not searched: runtime:gone.').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    expect(await seriousFindings()).toEqual([])
    expect(complaints).toEqual([])
    await page.close()

    async function seriousFindings(): Promise<string[]> {
      await page.evaluate(axe)
      const { violations } = (await page.evaluate('axe.run()')) as AxeResults
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id }) => id)
    }
  })

  it('pairs a phone by its link, and turns it away once it is revoked', async () => {
    const { result: offer } = await gateway.call('devices.offer', { url: gateway.url })
    const { offerId, links } = offer as DeviceOffer
    const page = await browser.newPage({ viewport: { width: 320, height: 640 } })
    await page.goto(links[0]!)
    await page.getByLabel('Name of this device').fill('Phone')
    expect(await page.evaluate('location.hash')).toBe('')
    await page.getByRole('button', { name: 'Pair' }).click()
    const { result: state } = await gateway.call('devices.await', { offerId, seen: 'open' })
    const { digits } = (state as { request: DeviceRequest }).request
    await page.getByText(`${digits.slice(0, 3)} ${digits.slice(3)}`).waitFor()
    await gateway.call('devices.decide', { offerId, may: ['search'] })
    await page.getByLabel('Search').fill('reconnect')
    await page.getByText('1 hit. Not searched: runtime:gone.').waitFor()
    await gateway.call('devices.revoke', { name: 'Phone' })
    await page.getByText('This token is good no more. Give another.').waitFor()
    await page.close()
  })

  it('is served under a strict policy, its assets for good', async () => {
    const index = await fetch(gateway.url)
    expect(index.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/)
    expect(index.headers.get('cache-control')).toBe('no-cache')
    const script = /src="([^"]+)"/.exec(await index.text())?.[1] ?? ''
    const answer = await fetch(new URL(script, gateway.url))
    expect(answer.headers.get('cache-control')).toContain('immutable')
  })

  it('weighs at most 60 kB of script, compressed', () => {
    const folder = join(repositoryRoot, 'dist/web/assets')
    const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'))
    const bytes = scripts.map((name) => gzipSync(readFileSync(join(folder, name))).length)
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(maxScriptBytes)
  })
})
