/** The page in real Chromium, before a real gateway with three real hosts: `local`, `runtime:devbox` and `runtime:ci`. */
import { mkdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AxeResults } from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { launchChromium, whyNoChromium } from './chromium.ts'
import {
  createRealHome,
  type ListeningAgent,
  type RealHome,
  startListeningAgent,
  whyNoBuild,
} from './real-hosts.ts'
import { type ServedGateway, startServedGateway, writeConfig } from './served-gateway.ts'

export const viewports = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
  narrow: { width: 320, height: 640 },
} as const

/** For `describe.skipIf`. */
export function whyNoPage(): string | null {
  return whyNoBuild() ?? whyNoChromium()
}

export interface OpenPageOptions extends BrowserContextOptions {
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly colorScheme?: 'light' | 'dark'
  /** Behind the gateway's own address: `/?q=…`. */
  readonly path?: string
  /** Default: that of the gateway's machine. Null to come without one. */
  readonly token?: string | null
}

export interface PageDesk extends AsyncDisposable {
  readonly gateway: ServedGateway
  readonly browser: Browser
  /** Of the gateway's machine. */
  readonly token: string
  readonly homes: Readonly<Record<'laptop' | 'devbox' | 'ci', RealHome>>
  /** In a browser context of its own; what the page complained of is in `complaintsOf`. */
  openPage(options?: OpenPageOptions): Promise<Page>
  /** Errors of the page's console, and what its policy refused. */
  complaintsOf(page: Page): readonly string[]
  stopHost(name: 'devbox' | 'ci'): Promise<void>
  /** Where it was before. */
  startHost(name: 'devbox' | 'ci'): Promise<void>
}

export interface PageDeskOptions {
  /** Writes the three homes' transcripts before anything starts. */
  fill(homes: PageDesk['homes']): Promise<void>
  /** Further tables for the gateway's configuration. */
  readonly config?: string
  /** Waits until every host has read all of its transcripts; default true. */
  readonly isIndexed?: boolean
}

export async function openPageDesk(options: PageDeskOptions): Promise<PageDesk> {
  const started: (() => PromiseLike<void>)[] = []
  const endAll = async () => {
    for (const end of started.reverse().splice(0)) await end()
  }
  try {
    return await start(options, started, endAll)
  } catch (error) {
    await endAll()
    throw error
  }
}

/** @param started how to end what was started, the newest last. */
async function start(
  options: PageDeskOptions,
  started: (() => PromiseLike<void>)[],
  endAll: () => Promise<void>,
): Promise<PageDesk> {
  const [laptop, devbox, ci] = await Promise.all(
    ['laptop', 'devbox', 'ci'].map((name) => createRealHome(name)),
  )
  if (laptop === undefined || devbox === undefined || ci === undefined) throw new Error('no homes')
  const homes = { laptop, devbox, ci }
  for (const home of Object.values(homes)) started.push(() => home[Symbol.asyncDispose]())
  await options.fill(homes)
  const agents = new Map<'devbox' | 'ci', ListeningAgent>()
  for (const name of ['devbox', 'ci'] as const) agents.set(name, await startListeningAgent(homes[name]))
  started.push(async () => {
    for (const agent of agents.values()) await agent[Symbol.asyncDispose]()
  })
  const tables = Array.from(
    agents,
    ([name, { url, peerToken }]) =>
      `[[hosts]]\nid = "runtime:${name}"\nurl = ${JSON.stringify(url)}\ntoken = "${peerToken}"\n`,
  )
  const config = await writeConfig(laptop, [...tables, options.config ?? ''].join('\n'))
  const gateway = await startServedGateway(laptop, { TRAWL_CONFIG: config })
  started.push(() => gateway[Symbol.asyncDispose]())
  if (options.isIndexed !== false)
    await gateway.search({ query: 'x', executionHostId: 'all', freshness: 'wait-until-current' })
  const token = (await readFile(join(laptop.dataDir, 'token'), 'utf8')).trim()
  const browser = await launchChromium()
  started.push(() => browser.close())
  const complaints = new WeakMap<Page, string[]>()
  return {
    gateway,
    browser,
    token,
    homes,
    async openPage({ viewport = viewports.desktop, colorScheme = 'light', path = '/', ...rest } = {}) {
      const { token: given = token, ...context } = rest
      const page = await browser.newPage({ viewport, colorScheme, ...context })
      const heard: string[] = []
      complaints.set(page, heard)
      page.on('console', (message) => message.type() === 'error' && heard.push(message.text()))
      page.on('pageerror', (error) => heard.push(error.message))
      if (given !== null)
        await page.addInitScript(
          `sessionStorage.getItem('trawl.token') ?? sessionStorage.setItem('trawl.token', ${JSON.stringify(given)})`,
        )
      await page.goto(new URL(path, gateway.url).href)
      return page
    },
    complaintsOf: (page) => complaints.get(page) ?? [],
    async stopHost(name) {
      await agents.get(name)?.[Symbol.asyncDispose]()
    },
    async startHost(name) {
      const { port } = new URL(agents.get(name)?.url ?? '')
      agents.set(name, await startListeningAgent(homes[name], ['--listen', `127.0.0.1:${port}`]))
    },
    [Symbol.asyncDispose]: endAll,
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds serious or critical in the page as it stands: rule and place. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

/** How many CSS pixels the page is wider than its window; 0 is right. */
export async function overflowOf(page: Page): Promise<number> {
  return (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number
}

/** Text at 200 %, as a person sets it in the browser: everything that is measured in `rem` grows with it. */
export async function enlargeText(page: Page): Promise<void> {
  await page.evaluate("document.documentElement.style.fontSize = '200%'")
}

/** A picture for people to look at, where `TRAWL_SHOTS` names a folder; else nothing. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.TRAWL_SHOTS
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`) })
}
