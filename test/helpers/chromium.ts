/** Debian's Chromium, for the tests of the page. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = '/usr/bin/chromium'

/** For `describe.skipIf`. */
export function whyNoChromium(): string | null {
  if (existsSync(executablePath)) return null
  const reason = 'skipped: chromium is missing (apt-get install chromium)'
  process.stderr.write(`${reason}\n`)
  return reason
}

export async function launchChromium(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking']
  return await chromium.launch({ executablePath, args })
}
