/** What Oh My Pi, Prime Agent and OpenClaw do otherwise than Pi. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../../test/helpers/agent-home.ts'
import { piAssistant, piEntry, piHead, piMessage, piUser } from '../../test/helpers/pi-entries.ts'
import { ompReader } from './omp.ts'
import { openclawReader } from './openclaw.ts'
import { openclawWords } from './pi-words.ts'
import { primeAgentReader } from './prime-agent.ts'
import type { TranscriptReader } from './reader.ts'

const linux = { homeDir: '/home/dev', platform: 'linux', env: {} } as const
const fixtures = fileURLToPath(new URL('../../../shared/fixtures/ci', import.meta.url))
const stamp = '2026-03-04T10-00-00-000Z'

async function readFiles(reader: TranscriptReader, files: Readonly<Record<string, readonly unknown[]>>) {
  const home = createAgentHome()
  for (const [path, entries] of Object.entries(files)) home.write(path, entries)
  const reading = await home.read(reader)
  home[Symbol.dispose]()
  return { ...reading, dir: home.dir }
}

describe('ompReader', () => {
  const path = `.omp/agent/sessions/-app/${stamp}_abc.jsonl`
  const slot = { type: 'title', v: 1, title: 'From the slot', source: 'auto', pad: '   ' }
  const title = async (...entries: readonly object[]) =>
    (await readFiles(ompReader(), { [path]: [...entries, piUser(5, 'first words')] })).files[0]?.facts.title

  it('finds its sessions, also where a variable puts them', () => {
    const { roots } = ompReader()
    expect(roots(linux)).toEqual([{ path: '/home/dev/.omp/agent/sessions' }])
    expect(roots({ ...linux, env: { OMP_CODING_AGENT_DIR: '/opt/omp' } })).toEqual([
      { path: '/opt/omp/sessions' },
    ])
  })

  it('names a session by the title a person gave, else by the latest generated one', async () => {
    expect(await title(slot, piHead('abc', { title: 'From the head' }))).toBe('From the head')
    expect(await title(slot, piHead('abc'))).toBe('From the slot')
    const changed = piEntry(1, 'title_change', { title: 'Mine', source: 'user' })
    const generated = piEntry(2, 'title_change', { title: 'Generated', source: 'auto' })
    expect(await title(piHead('abc'), changed, generated)).toBe('Mine')
    expect(await title(piHead('abc'), generated)).toBe('Generated')
    expect(await title(piHead('abc'))).toBe('first words')
  })

  it('resumes by the transcript’s path', async () => {
    const { files, dir } = await readFiles(ompReader(), { [path]: [piHead('abc'), piUser(1, 'hi')] })
    expect(files[0]?.facts.resumeCommand).toBe(`cd '/home/dev/app' && omp --resume '${join(dir, path)}'`)
  })

  it('takes subagents, also of subagents, for parts of the session at the top', async () => {
    const folder = `.omp/agent/sessions/-app/${stamp}_abc`
    const { files } = await readFiles(ompReader(), {
      [`${folder}.jsonl`]: [piHead('abc'), piUser(1, 'do it')],
      [`${folder}/Scout.jsonl`]: [
        piHead('x', { cwd: '/elsewhere' }, 2),
        piEntry(3, 'session_init', { systemPrompt: 's', task: 't' }),
        piUser(3, 'scout it'),
        piAssistant(4, 'done'),
      ],
      [`${folder}/Scout/Deep.jsonl`]: [piHead('y', {}, 2), piAssistant(4, 'deeper')],
    })
    const parts = files.filter(({ kind }) => kind === 'part')
    expect(
      parts.map(({ facts, said }) => [facts.sessionId, facts.messageCount, facts.resumeCommand, said]),
    ).toEqual([
      ['abc', 0, null, ['assistant: scout it', 'assistant: done']],
      ['abc', 0, null, ['assistant: deeper']],
    ])
    expect(files).toHaveLength(3)
  })

  it('knows the entries of bookkeeping', async () => {
    const types = [
      'model_usage',
      'credential_pin',
      'reset_boundary',
      'archive',
      'ttsr_injection',
      'mode_change',
    ]
    const { files } = await readFiles(ompReader(), {
      [path]: [piHead('abc'), piUser(1, 'hi'), ...types.map((type, at) => piEntry(at + 2, type))],
    })
    expect(files[0]).toMatchObject({ said: ['user: hi'], unread: { badLines: 0, unknownRecords: 0 } })
  })
})

describe('primeAgentReader', () => {
  it('finds sessions and the artifacts of their children, also where variables put them', () => {
    const { roots } = primeAgentReader()
    expect(roots(linux).map(({ path }) => path)).toEqual([
      '/home/dev/.prime/agent/sessions',
      '/home/dev/.prime/agent/session-artifacts',
    ])
    const env = { PRIME_AGENT_CODING_AGENT_DIR: '/opt/prime', PRIME_AGENT_SESSION_DIR: '/opt/s' }
    expect(roots({ ...linux, env }).map(({ path }) => path)).toEqual([
      '/opt/s',
      '/opt/prime/session-artifacts',
    ])
  })

  it('takes children at any depth for parts of the root session, and stays out of other artifacts', async () => {
    const artifacts = '.prime/agent/session-artifacts/root-1'
    const { files } = await readFiles(primeAgentReader(), {
      '.prime/agent/sessions/root-1.jsonl': [piHead('root-1'), piUser(1, 'delegate')],
      [`${artifacts}/sub-aaaa1111/c.jsonl`]: [
        piHead('c', { parentSession: '/x/root-1.jsonl' }, 1),
        piAssistant(2, 'child'),
      ],
      [`${artifacts}/sub-aaaa1111/sub-bbbb2222/d.jsonl`]: [piHead('d', {}, 1), piAssistant(2, 'grandchild')],
      [`${artifacts}/harness/log.jsonl`]: [piHead('no', {}, 1), piAssistant(2, 'not a session')],
    })
    expect(files.map(({ kind, facts, said }) => [kind, facts.sessionId, said])).toEqual([
      ['part', 'root-1', ['assistant: child']],
      ['part', 'root-1', ['assistant: grandchild']],
      ['session', 'root-1', ['user: delegate']],
    ])
  })

  it('keeps the latest branch that was recorded', async () => {
    const { files } = await readFiles(primeAgentReader(), {
      '.prime/agent/sessions/a.jsonl': [
        piHead('a', { git: { branch: 'main' } }),
        piUser(1, 'hi'),
        piEntry(2, 'git_state', { git: { branch: 'fix' } }),
        piEntry(3, 'agent_status', { status: { summary: 'x' } }),
      ],
    })
    expect(files[0]).toMatchObject({ facts: { branch: 'fix' }, unread: { unknownRecords: 0 } })
  })
})

describe('openclawReader', () => {
  const reader = openclawReader()

  it('looks in both homes, and only in the configured one where there is one', () => {
    expect(reader.roots(linux).map(({ path }) => path)).toEqual([
      '/home/dev/.openclaw/agents',
      '/home/dev/.clawdbot/agents',
    ])
    expect(reader.roots({ ...linux, env: { OPENCLAW_STATE_DIR: '/opt/claw' } })).toEqual([
      { path: '/opt/claw/agents' },
    ])
  })

  it('enters the sessions of an agent alone, and reads no copies, traces or deleted ones', () => {
    expect(reader.enters?.('main')).toBe(true)
    expect(reader.enters?.('main/sessions')).toBe(true)
    expect(reader.enters?.('main/memory')).toBe(false)
    const read = (name: string) => reader.formatOf(`main/sessions/${name}`) !== null
    expect(read('a.jsonl')).toBe(true)
    expect(read('a.jsonl.reset.2026-02-19T08-59-24.951Z')).toBe(true)
    expect(read('a.jsonl.deleted.2026-02-19T08-59-24.951Z')).toBe(false)
    expect(read('a.checkpoint.1.jsonl')).toBe(false)
    expect(read('a.trajectory.jsonl')).toBe(false)
    expect(reader.formatOf('main/notes.jsonl')).toBeNull()
  })

  it('keeps the id of a session that was reset where its head is torn', async () => {
    const { files } = await readFiles(reader, {
      '.openclaw/agents/main/sessions/a1.jsonl.reset.2026-02-19T08-59-24.951Z': [
        piUser(1, 'before the reset'),
      ],
    })
    expect(files[0]?.facts.sessionId).toBe('a1')
  })

  it.each([
    ['nothing of a plain text', 'Hello\n\nworld', 'Hello\n\nworld'],
    ['the stamp', '[Wed 2026-02-18 11:21 GMT+1] Hello', 'Hello'],
    [
      'blocks of context, by the words of older versions',
      'Conversation info (untrusted metadata):\n```json\n{"a":1}\n```\n\nSender (untrusted metadata):\n```json\n{}\n```\n\nHello',
      'Hello',
    ],
    ['blocks of context, by today’s marker', 'Context: ⟦openclaw:ctx⟧\nsome prose\n\nHello', 'Hello'],
    ['no brackets of a person’s own', '[draft] Hello', '[draft] Hello'],
    ['a fence that is never closed', 'Sender (untrusted metadata):\n```json\n{', ''],
  ])('takes %s out of what a person said', (_name, text, words) => {
    expect(openclawWords(text).words).toBe(words)
  })

  it('takes the word of its own at the start of a session for none of a person’s', async () => {
    const { files } = await readFiles(reader, {
      '.openclaw/agents/main/sessions/a.jsonl': [
        piHead('a'),
        piUser(1, 'A new session was started via /new or /reset. Greet the user.'),
        piMessage(2, { role: 'system', content: [{ type: 'text', text: 'notice' }] }),
        piUser(3, 'Real words'),
      ],
    })
    expect(files[0]).toMatchObject({ facts: { title: 'Real words', messageCount: 1 } })
    expect(files[0]?.said.map((said) => said.slice(0, 5))).toEqual(['tool:', 'tool:', 'user:'])
  })

  it.skipIf(!existsSync(fixtures))(
    'reads the public samples (skipped where the shared fixtures are absent)',
    async () => {
      const { files, failures } = await createAgentHome(fixtures).read(reader)
      expect(failures).toEqual({})
      expect(files.map(({ facts }) => [facts.sessionId, facts.messageCount])).toEqual([
        ['openclaw-stage0-large', 3],
        ['openclaw-stage0-drift', 2],
        ['openclaw-stage0-small', 2],
      ])
      expect(files[1]?.unread).toEqual({ badLines: 0, unknownRecords: 1 })
      expect(files[2]?.said).toEqual([
        'user: List files',
        'assistant: Running ls now.',
        'tool: shell_exec: ls',
        'tool: main.swift\nResources\n',
      ])
    },
  )
})
