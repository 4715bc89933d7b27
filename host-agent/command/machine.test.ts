import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { graceMs, indexSettings } from './machine.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trawl-machine-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function settings(toml: string | null) {
  const file = join(home, 'config.toml')
  if (toml !== null) writeFileSync(file, toml)
  return indexSettings({ homeDir: home, platform: 'linux', env: { TRAWL_CONFIG: file } })
}

describe('indexSettings', () => {
  it('keeps everything, in each agent’s own roots, where nobody says otherwise', () => {
    expect(settings(null)).toEqual({ sources: {}, historyDays: null, exclude: [] })
    expect(settings('legTimeoutMs = 500\n')).toEqual({ sources: {}, historyDays: null, exclude: [] })
  })

  it('reads roots and how long sessions are kept', () => {
    const toml = '[sources]\nclaude = ["~/c"]\ncodex = ["/x/sessions"]\npi = []\n[index]\nhistoryDays = 90\n'
    expect(settings(toml)).toEqual({
      sources: {
        claude: [{ path: join(home, 'c') }],
        codex: [{ path: '/x/sessions', codexHome: '/x' }],
        pi: [],
      },
      historyDays: 90,
      exclude: [],
    })
  })

  it('reads excluded places as absolute paths', () => {
    expect(settings('[index]\nexclude = ["~/work/secret", "/clients/*"]\n').exclude).toEqual([
      join(home, 'work/secret'),
      '/clients/*',
    ])
  })

  it('reads how long the resident agent stays', () => {
    const graceOf = (toml: string | null) => {
      settings(toml)
      return graceMs({ homeDir: home, env: { TRAWL_CONFIG: join(home, 'config.toml') }, platform: 'linux' })
    }
    expect(graceOf(null)).toBe(600_000)
    expect(graceOf('[agent]\ngraceMinutes = 0.5\n')).toBe(30_000)
    expect(graceOf('[agent]\ngraceMinutes = 0\n')).toBe(0)
    expect(() => graceOf('[agent]\ngraceMinutes = -1\n')).toThrow(
      'agent.graceMinutes must be a number of minutes',
    )
  })

  it.each([
    ['[index]\nhistoryDays = 0', 'index.historyDays must be a whole number of days from 1 to 3650.'],
    ['[index]\nhistoryDays = 1.5', 'index.historyDays must be a whole number of days from 1 to 3650.'],
    ['[index]\nexclude = "x"', 'index.exclude must be a list of paths'],
    ['[index]\nexclude = ["work"]', 'index.exclude.0 must be a path that begins with / or ~/'],
    ['index = 3', 'index must be a table.'],
    ['sources = 3', 'sources must be a table of agent = [directories].'],
    ['[sources]\nclaude = "x"', 'sources.claude must be a list of directories, as in'],
    ['not toml', 'line 1'],
  ])('refuses %j', (toml, sentence) => {
    expect(() => settings(toml)).toThrow(sentence)
  })
})
