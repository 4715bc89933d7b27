/** docs/configuration.md says what the schemas say, its example loads, and no variable is read that it does not name. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../gateway/config.ts'
import { graceMs, indexSettings } from '../../host-agent/command/machine.ts'
import { repositoryRoot } from '../helpers/bundle.ts'
import { configurationRows, withConfigurationReference } from '../helpers/docs/configuration-reference.ts'
import { sourceFiles } from '../helpers/docs/source-files.ts'

const page = readFileSync(join(repositoryRoot, 'docs/configuration.md'), 'utf8')
const example = /```toml\n(.*?)```/s.exec(page)?.[1] ?? ''

describe('docs/configuration.md', () => {
  it('is as the schemas have it (`npm run docs` writes it)', async () => {
    await expect(withConfigurationReference(page)).toMatchFileSnapshot('../../docs/configuration.md')
  })

  it.each(Object.entries(configurationRows))('says of every key for %s what it means', (_, rows) => {
    expect(rows.filter(({ meaning }) => meaning === '').map(({ member }) => member)).toEqual([])
  })

  it('names every variable of the environment that is read outside the readers of transcripts', () => {
    const sources = sourceFiles(['gateway', 'protocol', 'host-agent', 'bin']).filter(
      ({ path }) => !path.startsWith('host-agent/transcripts/'),
    )
    const read = sources.flatMap(({ text }) =>
      Array.from(text.matchAll(/\b(?:env|variables)\.([A-Z][A-Z0-9_]+)/g), ([, name]) => name ?? ''),
    )
    expect(read).toContain('TRAWL_CONFIG')
    const named = new Set(Array.from(page.matchAll(/`([A-Z][A-Z0-9_]+)`/g), ([, name]) => name))
    expect([...new Set(read)].filter((name) => !named.has(name))).toEqual([])
  })
})

describe('its example', () => {
  let homeDir = ''
  beforeEach(() => {
    homeDir = mkdtempSync(join(tmpdir(), 'trawl-example-'))
    mkdirSync(join(homeDir, '.config/trawl'), { recursive: true })
    writeFileSync(join(homeDir, '.config/trawl/config.toml'), example, { mode: 0o600 })
    writeFileSync(join(homeDir, '.config/trawl/ci.token'), 'x\n', { mode: 0o600 })
  })
  afterEach(() => rmSync(homeDir, { recursive: true }))

  it('is read by the gateway without a complaint', () => {
    const { warnings, quarantined, hosts, localLabel } = loadConfig({ env: {}, homeDir })
    expect({ warnings, quarantined }).toEqual({ warnings: [], quarantined: [] })
    expect(hosts).toHaveLength(5)
    expect(localLabel).toBe('workbench')
  })

  it('is read by the agent', () => {
    const machine = { env: {}, homeDir, platform: 'linux' } as const
    expect(indexSettings(machine)).toMatchObject({ historyDays: 365, sources: { codex: [] } })
    expect(graceMs(machine)).toBe(30 * 60_000)
  })

  it('has every key there is', () => {
    const { hosts, ...top } = parse(example)
    const keys = new Set([...keysOf(top), ...[hosts].flat().flatMap((host) => keysOf(host))])
    const missing = Object.values(configurationRows)
      .flat()
      .map(({ member }) => member)
      .filter((member) => !member.endsWith('.KEY') && !keys.has(member))
    expect(missing).toEqual([])
  })
})

/** Dotted, tables included. */
function keysOf(value: unknown, prefix = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    `${prefix}${key}`,
    ...keysOf(inner, `${prefix}${key}.`),
  ])
}
