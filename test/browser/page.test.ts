/** The page's frame in a real browser: entering, pairing, its policy and its weight. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DeviceOffer, DeviceOfferState, DeviceRequest } from '../../protocol/rpc/devices.ts'
import { repositoryRoot } from '../helpers/bundle.ts'
import {
  enlargeText,
  openPageDesk,
  overflowOf,
  type PageDesk,
  screenshot,
  seriousFindings,
  viewports,
  whyNoPage,
} from '../helpers/page-desk.ts'

const maxScriptBytes = 60 * 1024
const goneHost = '[[hosts]]\nid = "runtime:gone"\nurl = "ws://127.0.0.1:1/rpc"\ntoken = "x"\n'

describe.skipIf(whyNoPage() !== null)('the page', () => {
  let desk: PageDesk

  beforeAll(async () => {
    desk = await openPageDesk({
      config: goneHost,
      fill: async ({ laptop }) => {
        await laptop.writeClaude({
          sessionId: '00000000-0000-4000-8000-000000000001',
          at: '2026-01-02T12:00:00.000Z',
          user: 'reconnect <script>document.title="run"</script> \u202eloop',
        })
      },
    })
  })

  afterAll(async () => await desk?.[Symbol.asyncDispose]())

  it('shows hits, says which host is missing, and runs nothing of a transcript', async () => {
    const page = await desk.openPage({ viewport: viewports.narrow, token: null })
    await page.getByLabel('Token of this machine').fill(desk.token)
    expect(await seriousFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Enter' }).click()
    await page.getByLabel('Search').fill('reconnect')
    await page.getByText('1 hit. Not searched: runtime:gone.').waitFor()
    expect(await page.locator('.hits mark').first().textContent()).toBe('reconnect')
    expect(await page.locator('.hits script').count()).toBe(0)
    expect(await page.title()).toBe('Trawl')
    expect(page.url()).toMatch(/\?q=reconnect$/)
    await page.getByLabel('Search').fill('zzzqqq')
    await page.getByText('No hits on the hosts that answered. Not searched: runtime:gone.').waitFor()
    expect(await overflowOf(page)).toBe(0)
    expect(await seriousFindings(page)).toEqual([])
    expect(desk.complaintsOf(page)).toEqual([])
    await page.close()
  })

  it.each([
    ['light', viewports.desktop, 1],
    ['dark', viewports.desktop, 1],
    ['dark', viewports.phone, 1],
    ['light', viewports.narrow, 1],
    ['light', viewports.narrow, 2],
  ] as const)('lets nobody stumble at its door: %s, %o, text × %d', async (colorScheme, viewport, zoom) => {
    const page = await desk.openPage({ colorScheme, viewport, token: null })
    if (zoom === 2) await enlargeText(page)
    await page.getByRole('button', { name: 'Enter' }).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    expect(await overflowOf(page)).toBe(0)
    await screenshot(page, `entry-${colorScheme}-${viewport.width}-${zoom}`)
    await page.close()
  })

  it('says that a token is not known, and asks for another', async () => {
    const page = await desk.openPage({ token: null })
    await page.getByLabel('Token of this machine').fill('no-such-token')
    await page.getByRole('button', { name: 'Enter' }).click()
    await page.getByText('Missing or unknown credential').waitFor()
    await page.close()
  })

  it('pairs a phone by its link, and turns it away once it is revoked', async () => {
    const { gateway } = desk
    const { result: offer } = await gateway.call('devices.offer', { url: gateway.url })
    const { offerId, links } = offer as DeviceOffer
    const page = await desk.openPage({ viewport: viewports.narrow, token: null, path: links[0]! })
    await page.getByLabel('Name of this device').fill('Phone')
    expect(await page.evaluate('location.hash')).toBe('')
    await page.getByRole('button', { name: 'Pair' }).click()
    let state: DeviceOfferState = { state: 'open' }
    while (state.state === 'open')
      state = (await gateway.call('devices.await', { offerId, seen: 'open' })).result as DeviceOfferState
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
    const index = await fetch(desk.gateway.url)
    expect(index.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/)
    expect(index.headers.get('cache-control')).toBe('no-cache')
    const script = /src="([^"]+)"/.exec(await index.text())?.[1] ?? ''
    const answer = await fetch(new URL(script, desk.gateway.url))
    expect(answer.headers.get('cache-control')).toContain('immutable')
  })

  it('weighs at most 60 kB of script, compressed', () => {
    const folder = join(repositoryRoot, 'dist/web/assets')
    const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'))
    const bytes = scripts.map((name) => gzipSync(readFileSync(join(folder, name))).length)
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(maxScriptBytes)
  })
})
