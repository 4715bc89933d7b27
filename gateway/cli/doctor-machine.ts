/** The checks of `trawl doctor` that look at this machine alone. */
import { readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { parse } from 'smol-toml'
import { dataDirPath } from '../../protocol/places.ts'
import { type GatewayConfig, loadConfig } from '../config.ts'
import { Refusal, systemCode } from '../refusal.ts'
import { count } from '../words/say-progress.ts'
import type { CommandContext } from './command-context.ts'
import type { Finding } from './doctor-checks.ts'

export function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const hasOwn = major > 22 || (major === 22 && minor >= 13)
  const driver = hasOwn ? 'node:sqlite' : hasPackage('better-sqlite3') ? 'better-sqlite3' : null
  const found = `Node ${process.versions.node}, SQLite by ${driver ?? 'nothing'}.`
  return { id: 'node', state: driver === null ? 'problem' : 'ok', found }
}

function hasPackage(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name)
    return true
  } catch {
    return false
  }
}

/** @returns the configuration, or null where it cannot be used. */
export function checkConfiguration(context: CommandContext): {
  finding: Finding
  config: GatewayConfig | null
} {
  try {
    const config = loadConfig(context)
    const { warnings, quarantined, hosts, file } = config
    const complaints = [...warnings, ...quarantined.map(({ id, reason }) => `${id} is set aside. ${reason}`)]
    const found =
      complaints.length > 0
        ? complaints.join(' ')
        : `${file ?? 'None, so all is as by default'}: ${count(hosts.length, 'host')} beside this machine.`
    return {
      finding: { id: 'configuration', state: complaints.length > 0 ? 'warning' : 'ok', found },
      config,
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { finding: { id: 'configuration', state: 'problem', found: error.message }, config: null }
  }
}

export async function checkDataDirectory(context: CommandContext): Promise<Finding> {
  const dir = dataDirPath(context)
  const tell = (state: Finding['state'], found: string): Finding => ({ id: 'data-directory', state, found })
  try {
    const { mode, uid } = await stat(dir)
    if (process.getuid !== undefined && uid !== process.getuid())
      return tell('problem', `${dir} belongs to another user.`)
    if ((mode & 0o077) !== 0) return tell('problem', `Others can enter ${dir}: chmod 700 ${dir}`)
    return tell('ok', `${dir}, closed to others.`)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return tell('ok', `${dir} is made when it is needed.`)
    return tell('problem', `${dir} cannot be looked at (${systemCode(error) ?? 'unknown cause'}).`)
  }
}

/** Whether the door could be opened; asked only where no gateway of ours holds it. */
export async function checkPort({ listen }: GatewayConfig, isRunning: boolean): Promise<Finding> {
  const where = `${listen.host}:${listen.port}`
  if (isRunning)
    return { id: 'port', state: 'ok', found: `${where} is as configured; the gateway that runs has its own.` }
  const code = await new Promise<string | null>((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve(systemCode(error) ?? 'unknown cause'))
    server.listen(listen.port, listen.host, () => server.close(() => resolve(null)))
  })
  if (code === null) return { id: 'port', state: 'ok', found: `${where} is free.` }
  return {
    id: 'port',
    state: 'problem',
    found: `${where} cannot be opened (${code === 'EADDRINUSE' ? 'another program holds it' : code}).`,
  }
}

export function checkCoverage({ file, sources }: GatewayConfig): Finding {
  const off = Object.entries(sources).flatMap(([agent, roots]) => (roots.length === 0 ? [agent] : []))
  const moved = Object.entries(sources).flatMap(([agent, roots]) => (roots.length > 0 ? [agent] : []))
  const days = historyDaysIn(file)
  const parts = [
    ...(off.length === 0 ? [] : [`switched off: ${off.join(', ')}`]),
    ...(moved.length === 0 ? [] : [`only in folders of their own: ${moved.join(', ')}`]),
    ...(days === null ? [] : [`nothing older than ${days} days`]),
  ]
  if (parts.length === 0)
    return { id: 'coverage', state: 'ok', found: 'Nothing is left out by configuration.' }
  return { id: 'coverage', state: 'warning', found: `Of this machine: ${parts.join('; ')}.` }
}

/** The gateway itself does not go by this key, so its configuration does not hold it. */
function historyDaysIn(file: string | null): number | null {
  if (file === null) return null
  try {
    const { index } = parse(readFileSync(file, 'utf8'))
    const days =
      typeof index === 'object' && index !== null && 'historyDays' in index ? index.historyDays : null
    return typeof days === 'number' ? days : null
  } catch {
    return null
  }
}

export function checkTerminal({ env, stdout }: CommandContext): Finding {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || ''
  const isUtf8 = /utf-?8/i.test(locale) || process.platform === 'win32'
  const size =
    stdout.isTTY === true
      ? `${stdout.columns ?? 80} columns, TERM ${env.TERM ?? 'not set'}`
      : 'output is no terminal'
  return {
    id: 'terminal',
    state: isUtf8 || stdout.isTTY !== true ? 'ok' : 'warning',
    found: `${size}; locale ${locale || 'not set'}.`,
  }
}
