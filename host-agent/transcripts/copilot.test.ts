import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../../test/helpers/agent-home.ts'
import {
  copilotEvent,
  copilotId,
  copilotPath,
  copilotStart,
  copilotStartMs,
} from '../../test/helpers/copilot-events.ts'
import { copilotReader } from './copilot.ts'
import { topLevelYaml } from './top-level-yaml.ts'

const fixtures = fileURLToPath(new URL('../../../shared/fixtures/devbox', import.meta.url))

async function readOne(events: readonly unknown[], manifest?: string, where = copilotPath) {
  using home = createAgentHome()
  home.write(where, events)
  if (manifest !== undefined) home.write(where.replace('events.jsonl', 'workspace.yaml'), manifest)
  const [file] = (await home.read(copilotReader())).files
  if (file === undefined) throw new Error('nothing was found')
  return file
}

const user = (second: number, content: string, data: object = {}, fields: object = {}) =>
  copilotEvent(second, 'user.message', { content, ...data }, fields)
const reply = (second: number, messageId: string, content: string, data: object = {}, fields: object = {}) =>
  copilotEvent(second, 'assistant.message', { messageId, content, ...data }, fields)

describe('copilotReader', () => {
  const { roots, enters, formatOf, companions } = copilotReader()
  const linux = { homeDir: '/home/dev', platform: 'linux', env: {} } as const

  it('looks in its home, also where a variable moves it', () => {
    expect(roots(linux)).toEqual([{ path: '/home/dev/.copilot/session-state' }])
    expect(roots({ ...linux, env: { COPILOT_HOME: '/opt/cop' } })).toEqual([
      { path: '/opt/cop/session-state' },
    ])
    expect(roots({ ...linux, env: { COPILOT_HOME: 'cop' } })).toEqual(roots(linux))
  })

  it('reads the events of a session’s folder, and a session that is one file', () => {
    expect(formatOf('s/events.jsonl')?.kind).toBe('lines')
    expect(formatOf('s.jsonl')?.kind).toBe('lines')
    expect(formatOf('s/other.jsonl')).toBeNull()
    expect(formatOf('s/workspace.yaml')).toBeNull()
    expect(enters?.('s')).toBe(true)
    expect(enters?.('s/checkpoints')).toBe(false)
    const file = { root: { path: '/r' }, path: '/r/s/events.jsonl', relativePath: 's/events.jsonl' }
    expect(companions?.(file)).toEqual(['/r/s/workspace.yaml'])
  })
})

describe('copilot sessions', () => {
  it('tell messages, thoughts and tools in order, each once, and the session’s facts', async () => {
    const file = await readOne([
      copilotStart(),
      user(1, 'Why?', { transformedContent: '<current_datetime>x</current_datetime>\nWhy?' }),
      copilotEvent(2, 'assistant.reasoning', { content: 'Hm.' }),
      reply(3, 'm1', 'I look.', {
        reasoningText: 'Hm.',
        toolRequests: [{ toolCallId: 'c1', name: 'bash', arguments: '{"command":"ls"}' }],
      }),
      copilotEvent(4, 'tool.execution_start', {
        toolCallId: 'c1',
        toolName: 'bash',
        arguments: { command: 'ls' },
      }),
      copilotEvent(5, 'tool.execution_complete', {
        toolCallId: 'c1',
        result: { content: 'a.txt', detailedContent: 'a.txt' },
      }),
      copilotEvent(6, 'tool.execution_start', {
        toolCallId: 'c2',
        toolName: 'view',
        arguments: { path: 'b' },
      }),
      copilotEvent(7, 'tool.execution_complete', {
        toolCallId: 'c2',
        success: false,
        error: { message: 'no such file' },
      }),
      reply(8, 'm2', 'Because.'),
      reply(9, 'm2', 'And so on.'),
    ])
    expect(file.said).toEqual([
      'user: Why?',
      'assistant: Hm.',
      'assistant: I look.',
      'tool: bash: ls',
      'tool: a.txt',
      'tool: view: b',
      'tool: no such file',
      'assistant: Because.',
      'assistant: And so on.',
    ])
    expect(file.facts).toEqual({
      sessionId: copilotId,
      title: 'Why?',
      cwd: '/home/dev/app',
      branch: 'main',
      createdAtMs: copilotStartMs,
      updatedAtMs: copilotStartMs + 9000,
      messageCount: 3,
      resumeCommand: `cd '/home/dev/app' && copilot --resume='${copilotId}'`,
    })
  })

  it('are named by their manifest, where there is one', async () => {
    const events = [copilotStart(), user(1, 'words')]
    expect((await readOne(events, 'id: x\nname: "The \\"name\\""\n')).facts.title).toBe('The "name"')
    expect((await readOne(events, 'summary: |-\n  A summary\n  of two lines\ncwd: /x\n')).facts.title).toBe(
      'A summary of two lines',
    )
    expect((await readOne(events, 'name: {}\n')).facts.title).toBe('words')
  })

  it('keep the folder where they began and the branch they were on last', async () => {
    const file = await readOne([
      copilotStart(),
      user(1, 'hi'),
      copilotEvent(2, 'session.context_changed', { cwd: '/home/dev/other', branch: 'topic' }),
      copilotEvent(3, 'session.resume', { context: { cwd: '/home/dev/third', branch: 'later' } }),
    ])
    expect(file.facts).toMatchObject({ cwd: '/home/dev/app', branch: 'later' })
  })

  it('take the folder from the word of trust, as older versions give it', async () => {
    const trust = {
      infoType: 'folder_trust',
      message: 'Folder /tmp/my repo has been added to trusted folders.',
    }
    const events = [copilotStart({}), copilotEvent(1, 'session.info', trust), user(2, 'hi')]
    expect((await readOne(events, undefined, '.copilot/session-state/old.jsonl')).facts.cwd).toBe(
      '/tmp/my repo',
    )
  })

  it('search what a subagent said with the session, and let it change nothing of it', async () => {
    const file = await readOne([
      copilotStart(),
      user(1, 'go and look', {}, { agentId: 'sub' }),
      user(2, 'my words'),
      reply(3, 'm1', 'found it', { parentToolCallId: 'c1' }),
      reply(4, 'm2', 'also here', {}, { agentId: 'sub' }),
    ])
    expect(file.said).toEqual([
      'assistant: go and look',
      'user: my words',
      'assistant: found it',
      'assistant: also here',
    ])
    expect(file.facts).toMatchObject({ title: 'my words', messageCount: 1 })
  })

  it('take skills, notices, summaries and the program’s own prompts for nobody’s words', async () => {
    const file = await readOne([
      copilotStart(),
      copilotEvent(1, 'system.message', { content: 'system prompt' }),
      user(2, 'skill text', { source: 'skill-review' }),
      user(3, 'go on', { isAutopilotContinuation: true }),
      copilotEvent(4, 'system.notification', { content: 'agent done' }),
      copilotEvent(5, 'session.compaction_complete', { success: true, summaryContent: 'so far' }),
      copilotEvent(6, 'session.error', { message: 'bad gateway' }),
      user(7, 'mine'),
    ])
    expect(file.said).toEqual([
      'tool: skill text',
      'tool: go on',
      'tool: agent done',
      'tool: so far',
      'tool: error: bad gateway',
      'user: mine',
    ])
    expect(file.facts.title).toBe('mine')
  })

  it('remember the calls of a reply no longer than they need', async () => {
    const requests = Array.from({ length: 200 }, (_, at) => ({
      toolCallId: `c${at}`,
      name: 't',
      arguments: {},
    }))
    const file = await readOne([
      copilotStart(),
      reply(1, 'm', 'many', { toolRequests: requests }),
      ...requests
        .slice(-60)
        .map(({ toolCallId }, at) =>
          copilotEvent(at + 2, 'tool.execution_start', { toolCallId, toolName: 't', arguments: {} }),
        ),
    ])
    expect(file.said).toHaveLength(201)
  })

  it('count what cannot be read and what is not known', async () => {
    using home = createAgentHome()
    const events = [
      copilotStart(),
      user(1, 'hi'),
      copilotEvent(2, 'mcp.brand_new'),
      copilotEvent(3, 'session.brand_new'),
    ]
    home.write(copilotPath, `{"type":\n${events.map((event) => JSON.stringify(event)).join('\n')}\n`)
    const { files } = await home.read(copilotReader())
    expect(files[0]).toMatchObject({ said: ['user: hi'], unread: { badLines: 1, unknownRecords: 1 } })
  })

  it.skipIf(!existsSync(fixtures))(
    'read the public samples (skipped where the shared fixtures are absent)',
    async () => {
      const { files, failures } = await createAgentHome(fixtures).read(copilotReader())
      expect(failures).toEqual({})
      expect(
        files.map(({ facts, unread }) => [facts.sessionId, facts.messageCount, facts.cwd, unread]),
      ).toEqual([
        ['copilot_stage0_small', 5, '/tmp/repo', { badLines: 0, unknownRecords: 0 }],
        ['copilot_stage0_large', 6, '/tmp/large', { badLines: 0, unknownRecords: 0 }],
      ])
      expect(files[1]?.said.slice(2, 6)).toEqual([
        'user: Step 2',
        "tool: bash: printf 'line1\\nline2\\nline3\\n'",
        'tool: line1\nline2\nline3\n',
        'assistant: Captured multiline output.',
      ])
    },
  )
})

describe('topLevelYaml', () => {
  it('gives the plain texts at the margin', () => {
    const yaml =
      "a: one # remark\nb: 'it''s'\nc: \"q\\n\"\nd:\n  nested: x\ne: >-\n  two\n  lines\nf: null\ng: [1]\nh: x: y\n"
    expect(Object.fromEntries(topLevelYaml(yaml))).toEqual({
      a: 'one',
      b: "it's",
      c: 'q\n',
      e: 'two\nlines',
      h: 'x: y',
    })
  })
})
