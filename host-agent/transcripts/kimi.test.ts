import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../../test/helpers/agent-home.ts'
import { kimiReader } from './kimi.ts'

const devbox = fileURLToPath(new URL('../../../shared/fixtures/devbox/', import.meta.url))
const folder = '.kimi-code/sessions/wd_app_01/session_1'
const wirePath = `${folder}/agents/main/wire.jsonl`
const timeMs = 1780500000000
const prompt = (text: string, origin: object = { kind: 'user' }) => ({
  type: 'context.append_message',
  message: { role: 'user', content: [{ type: 'text', text }], origin },
  time: timeMs,
})
const reply = (text: string, stepUuid: string) => ({
  type: 'context.append_loop_event',
  event: { type: 'content.part', stepUuid, part: { type: 'text', text } },
  time: timeMs + 1000,
})

async function readWire(records: unknown, path = wirePath) {
  using home = createAgentHome()
  home.write(path, records)
  const [file] = (await home.read(kimiReader())).files
  if (file === undefined) throw new Error('not found')
  return file
}

describe('kimiReader', () => {
  const { roots, formatOf, enters } = kimiReader()

  it('looks in the homes of both generations, where the environment moves them', () => {
    const environment = { homeDir: '/home/dev', platform: 'linux', env: {} } as const
    expect(roots(environment).map(({ path }) => path)).toEqual([
      '/home/dev/.kimi-code/sessions',
      '/home/dev/.kimi/sessions',
    ])
    const env = { KIMI_CODE_HOME: '/a', KIMI_SHARE_DIR: '/b' }
    expect(roots({ ...environment, env }).map(({ path }) => path)).toEqual(['/a/sessions', '/b/sessions'])
  })

  it('takes the logs of agents and nothing else of a session', () => {
    expect(formatOf('wd_x/session_1/agents/main/wire.jsonl')?.kind).toBe('document')
    expect(formatOf('0123abcd/uuid/wire.jsonl')?.kind).toBe('document')
    expect(formatOf('0123abcd/uuid/context.jsonl')).toBeNull()
    expect(enters?.('wd_x/session_1/agents/main')).toBe(true)
    expect(enters?.('wd_x/session_1/logs')).toBe(false)
    expect(enters?.('wd_x/session_1/agents/main/blobs')).toBe(false)
  })
})

describe('kimi messages', () => {
  it('takes back as many prompts as an undo says, never more than came since the context was cleared', async () => {
    const read = await readWire([
      prompt('First'),
      { type: 'context.clear', time: timeMs },
      prompt('Second'),
      reply('two', 's2'),
      prompt('Third'),
      reply('three', 's3'),
      { type: 'context.undo', count: 2, time: timeMs },
      prompt('Fourth'),
      { type: 'context.undo', count: 9, time: timeMs },
      prompt('Fifth'),
    ])
    expect(read.said).toEqual(['user: First', 'user: Fifth'])
  })

  it('joins the parts of one step, and parts them at a tool', async () => {
    const loop = (event: object) => ({ type: 'context.append_loop_event', event, time: timeMs })
    const read = await readWire([
      prompt('Go'),
      reply('one', 's1'),
      reply('more', 's1'),
      loop({ type: 'tool.call', name: 'Read', args: { path: 'a.ts' } }),
      loop({ type: 'tool.result', result: { isError: true, message: 'no such file' } }),
      reply('other', 's2'),
    ])
    expect(read.said).toEqual([
      'user: Go',
      'assistant: one\nmore',
      'tool: Read: a.ts',
      'tool: no such file',
      'assistant: other',
    ])
  })

  it('tells a person’s words from reminders, hooks and skills', async () => {
    const read = await readWire([
      prompt('<system-reminder>no</system-reminder>', { kind: 'injection', variant: 'x' }),
      prompt('hook says stop', { kind: 'hook_result', event: 'Stop' }),
      prompt('The whole skill', {
        kind: 'skill_activation',
        skillName: 'deploy',
        skillArgs: 'now',
        trigger: 'user-slash',
      }),
      prompt('Another skill', { kind: 'skill_activation', skillName: 'lint', trigger: 'model-tool' }),
      prompt('My own words'),
    ])
    expect(read.said).toEqual(['tool: hook says stop', 'user: /deploy now', 'user: My own words'])
    expect(read.facts.title).toBe('/deploy now')
  })

  it('reads the older log, whose times are seconds', async () => {
    const wire = (type: string, payload: object) => ({ timestamp: 1780500000.5, message: { type, payload } })
    const read = await readWire(
      [
        { type: 'metadata', protocol_version: '1' },
        wire('TurnBegin', { user_input: [{ type: 'text', text: 'Old words' }] }),
        wire('ContentPart', { type: 'think', think: 'thinking' }),
        wire('ToolCall', { id: 'c', function: { name: 'Shell', arguments: '{"command":"ls"}' } }),
        wire('ToolResult', { tool_call_id: 'c', return_value: { output: 'a b', message: 'ok' } }),
        wire('ContentPart', { type: 'text', text: 'answer' }),
        wire('StatusUpdate', {}),
        wire('Unheard', {}),
      ],
      '.kimi/sessions/0123abcd/uuid-1/wire.jsonl',
    )
    expect(read.said).toEqual([
      'user: Old words',
      'assistant: thinking',
      'tool: Shell: ls',
      'tool: a b',
      'assistant: answer',
    ])
    expect(read.times[0]).toBe(new Date(1780500000500).toISOString())
    expect(read.facts.sessionId).toBe('uuid-1')
    expect(read.unread.unknownRecords).toBe(1)
  })

  it('counts lines and records it cannot read', async () => {
    const read = await readWire(
      `{"type":\n${JSON.stringify(prompt('x'))}\n{"type":"quite.new"}\n{"type":"usage.record"}\n`,
    )
    expect(read.unread).toEqual({ badLines: 1, unknownRecords: 1 })
  })
})

describe('kimi sessions', () => {
  it('takes title and folder from the state, else the folder from the list of sessions, the last row winning', async () => {
    using home = createAgentHome()
    home.write(wirePath, [prompt('Hello')])
    home.write('.kimi-code/session_index.jsonl', [
      { sessionId: 'session_1', workDir: '/work/old' },
      { sessionId: 'session_1', workDir: '/work/listed' },
    ])
    const [listed] = (await home.read(kimiReader())).files
    expect(listed?.facts).toMatchObject({ sessionId: 'session_1', title: 'Hello', cwd: '/work/listed' })
    home.write(`${folder}/state.json`, {
      title: 'Greeting',
      workDir: '/work/state',
      createdAt: '2026-06-03T00:00:00Z',
    })
    const [stated] = (await home.read(kimiReader())).files
    expect(stated?.facts).toMatchObject({
      title: 'Greeting',
      cwd: '/work/state',
      createdAtMs: Date.parse('2026-06-03T00:00:00Z'),
      resumeCommand: "cd '/work/state' && kimi --session 'session_1'",
    })
  })

  it('finds the folder of the older generation by its hash in the list of folders', async () => {
    using home = createAgentHome()
    const hash = createHash('md5').update('/work/hashed').digest('hex')
    home.write(`.kimi/sessions/${hash}/s/wire.jsonl`, [
      { timestamp: 1, message: { type: 'TurnBegin', payload: { user_input: 'Hi' } } },
    ])
    home.write('.kimi/kimi.json', { work_dirs: [{ path: '/work/other' }, { path: '/work/hashed' }] })
    const [read] = (await home.read(kimiReader())).files
    expect(read?.facts.cwd).toBe('/work/hashed')
  })

  it('gives subagents to their session', async () => {
    using home = createAgentHome()
    home.write(`${folder}/state.json`, {
      agents: { main: { type: 'main' }, 'agent-0': { type: 'sub', parentAgentId: 'main' } },
    })
    home.write(`${folder}/agents/agent-0/wire.jsonl`, [prompt('Search the docs')])
    home.write('.kimi/sessions/h/s/subagents/a1/wire.jsonl', [
      { timestamp: 1, message: { type: 'TurnBegin', payload: { user_input: 'Old task' } } },
    ])
    const { files } = await home.read(kimiReader())
    expect(files.map(({ kind, said, facts }) => [kind, said, facts.sessionId])).toEqual([
      ['part', ['assistant: Search the docs'], 'session_1'],
      ['part', ['assistant: Old task'], 's'],
    ])
  })

  it('leaves out what a fork has copied, as long as its source is there', async () => {
    using home = createAgentHome()
    const fork = '.kimi-code/sessions/wd_app_01/session_2'
    home.write(`${fork}/state.json`, { forkedFrom: 'session_1' })
    home.write(`${fork}/agents/main/wire.jsonl`, [
      prompt('Copied'),
      { type: 'forked', time: timeMs },
      prompt('Own'),
    ])
    const [orphan] = (await home.read(kimiReader())).files
    expect(orphan?.said).toEqual(['user: Copied', 'user: Own'])
    home.write(wirePath, [prompt('Copied')])
    const { files } = await home.read(kimiReader())
    expect(files.map(({ said }) => said)).toEqual([['user: Copied'], ['user: Own']])
  })
})

describe('kimi fixtures', () => {
  it.skipIf(!existsSync(devbox))('reads the sessions of a home (skipped where it is absent)', async () => {
    using home = createAgentHome(devbox)
    const { files, failures } = await home.read(kimiReader())
    expect(failures).toEqual({})
    expect(files.map(({ facts, unread }) => [facts.sessionId, facts.cwd, unread])).toEqual([
      ['session_k1', '/private/tmp/as-agent-lab/kimi/project', { badLines: 0, unknownRecords: 0 }],
      ['session_k2', '/private/tmp/as-agent-lab/kimi/project', { badLines: 0, unknownRecords: 0 }],
    ])
    expect(files.map(({ said, facts }) => [said.length, facts.messageCount])).toEqual([
      [3, 3],
      [69, 30],
    ])
    expect(files[0]?.said).toEqual(['user: hi', 'user: hi', 'user: stop'])
    // A reminder comes in a person's place, and the summary of a compaction is no one's words.
    const said = files[1]?.said.join('\n') ?? ''
    expect(said).not.toContain('<system-reminder>')
    expect(said).toContain('tool: I am writing this handoff note')
  })
})
