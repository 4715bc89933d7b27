import { describe, expect, it } from 'vitest'
import { agentNameSchema } from '../../protocol/session-search/request.ts'
import { placeVariables } from './place-variables.ts'
import { readerFor, transcriptReaders } from './readers.ts'

/** The eighteen of the contract's time. */
const contractAgents = [
  ...['claude', 'codex', 'hermes', 'pi', 'omp', 'prime-agent', 'cursor', 'gemini', 'antigravity'],
  ...['rovo', 'copilot', 'opencode', 'grok', 'openclaw', 'devin', 'droid', 'cline', 'kimi'],
]
const laterAgents = [
  ...['qwen', 'amp', 'aider', 'goose', 'roo', 'kilo', 'kiro', 'qoder', 'codebuddy', 'jcode', 'zcode', 'muse'],
  ...['crush', 'zed', 'copilot-chat', 'cursor-desktop'],
]

describe('transcriptReaders', () => {
  const readers = transcriptReaders()

  it('reads all agents of the contract’s time, and the later ones', () => {
    expect(readers.map(({ agent }) => agent)).toEqual([...contractAgents, ...laterAgents])
  })

  it('gives each a name that a request may hold, a label of its own, and what the README says of it', () => {
    expect(new Set(readers.map(({ label }) => label)).size).toBe(readers.length)
    for (const { agent, label, notes } of readers) {
      expect(agentNameSchema.safeParse(agent).success).toBe(true)
      expect(label).not.toBe('')
      expect(notes.resume ?? 'ID', agent).toMatch(/ID|PATH/)
    }
  })

  it.each(['linux', 'darwin', 'win32'] as const)('looks in absolute folders of %s alone', (platform) => {
    const homeDir = platform === 'win32' ? 'C:\\Users\\dev' : '/home/dev'
    const isAbsolute = platform === 'win32' ? /^[A-Z]:\\[^/]*$/ : /^\/[^\\]*$/
    for (const reader of readers) {
      const roots = reader.roots({ homeDir, platform, env: {} })
      expect(roots.length, reader.agent).toBeGreaterThan(0)
      for (const { path } of roots) expect(path, reader.agent).toMatch(isAbsolute)
    }
  })

  it('goes by the variables that tell one resident agent from another, and by no others', () => {
    const asked = new Set<string>()
    for (const platform of ['linux', 'darwin'] as const)
      for (const value of [undefined, '/elsewhere']) {
        const look = (name: string) => {
          asked.add(name)
          return value
        }
        const env = new Proxy<Record<string, string | undefined>>(
          {},
          { get: (_, name) => look(String(name)) },
        )
        for (const reader of readers)
          reader.roots({ homeDir: '/home/dev', platform, env, textOf: () => null })
      }
    expect([...asked].toSorted()).toEqual(placeVariables)
  })

  it('never takes one file for two agents’ below the same root', () => {
    const environment = { homeDir: '/home/dev', platform: 'linux', env: {} } as const
    const names = ['a.jsonl', 'a.json', 'state.db', 'chats/session-1.json', 'x/y/z.jsonl']
    const owners = new Map<string, string>()
    for (const reader of readers)
      for (const { path } of reader.roots(environment))
        for (const name of names) {
          if (reader.formatOf(name) === null) continue
          const key = `${path}/${name}`
          expect(owners.get(key) ?? reader.agent, key).toBe(reader.agent)
          owners.set(key, reader.agent)
        }
  })
})

describe('readerFor', () => {
  it('finds a reader by its agent and none for an agent that is not read', () => {
    expect(readerFor('codex')?.label).toBe('Codex')
    expect(readerFor('abacus')).toBeUndefined()
  })
})
