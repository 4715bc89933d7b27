import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../../test/helpers/agent-home.ts'
import { foldTranscript, spoken, transcriptFile } from '../../test/helpers/fold-transcript.ts'
import { grokReader } from './grok.ts'

const devbox = fileURLToPath(new URL('../../../shared/fixtures/devbox/', import.meta.url))
const file = transcriptFile('%2Fwork/g1/chat_history.jsonl')
const read = (...records: readonly (string | object)[]) => foldTranscript(grokReader(), file, records)

describe('grokReader', () => {
  const { roots, formatOf, enters } = grokReader()

  it('looks in the home that the environment names', () => {
    const environment = { homeDir: '/home/dev', platform: 'linux', env: {} } as const
    expect(roots(environment)).toEqual([{ path: '/home/dev/.grok/sessions' }])
    expect(roots({ ...environment, env: { GROK_HOME: '/g' } })).toEqual([{ path: '/g/sessions' }])
  })

  it('takes the history alone', () => {
    expect(formatOf('%2Fwork/g1/chat_history.jsonl')?.kind).toBe('lines')
    expect(formatOf('%2Fwork/g1/updates.jsonl')).toBeNull()
    expect(formatOf('%2Fwork/g1/summary.json')).toBeNull()
    expect(enters?.('%2Fwork/g1')).toBe(true)
    expect(enters?.('%2Fwork/g1/subagents')).toBe(false)
  })
})

describe('grok messages', () => {
  it('takes the query out of its wrapping, and no context for words', () => {
    const { messages, facts } = read(
      {
        type: 'user',
        content: '<user_info>no</user_info>\n<user_query>Mend it</user_query>\n<git_status>no</git_status>',
      },
      { type: 'user', content: 'policy', synthetic_reason: 'project_instructions' },
      { type: 'user', content: 'a task ended', synthetic_reason: 'task_notification' },
      { type: 'user', content: 'Wait!', synthetic_reason: 'interjection' },
      { type: 'user', content: '<system-reminder>no</system-reminder>' },
    )
    expect(messages.map(({ role, text }) => `${role}: ${text}`)).toEqual([
      'user: Mend it',
      'tool: a task ended',
      'user: Wait!',
    ])
    expect(facts).toMatchObject({ sessionId: 'g1', title: 'Mend it', cwd: null, messageCount: 2 })
  })

  it('reads calls in both shapes and counts what it does not know', () => {
    const whole = read(
      {
        type: 'assistant',
        content: '',
        tool_calls: [
          { name: 'grep', arguments: '{"pattern":"x"}' },
          { function: { name: 'sh', arguments: '{"command":"ls"}' } },
        ],
      },
      { type: 'hologram' },
      'torn',
    )
    expect(spoken(whole)).toEqual(['tool: grep: x', 'tool: sh: ls'])
    expect(whole.unread).toEqual({ badLines: 1, unknownRecords: 1 })
  })

  it('takes the times from the log of updates, the same words again for a later time', async () => {
    using home = createAgentHome()
    const update = (second: number, sessionUpdate: string, fields: object) => ({
      timestamp: 1785492800 + second,
      method: 'session/update',
      params: { update: { sessionUpdate, ...fields } },
    })
    const piece = (second: number, kind: string, text: string) =>
      update(second, kind, { content: { type: 'text', text } })
    home.write('.grok/sessions/w/g1/updates.jsonl', [
      piece(1, 'user_message_chunk', 'go on'),
      piece(2, 'agent_message_chunk', 'I look '),
      piece(3, 'agent_message_chunk', 'around.'),
      update(4, 'tool_call', { toolCallId: 'c1' }),
      update(5, 'tool_call_update', { toolCallId: 'c1', status: 'in_progress' }),
      update(6, 'tool_call_update', { toolCallId: 'c1', status: 'completed' }),
      piece(7, 'user_message_chunk', 'go on'),
      update(8, 'tool_call', { toolCallId: 'c2' }),
    ])
    home.write('.grok/sessions/w/g1/chat_history.jsonl', [
      { type: 'user', content: '<user_query>go on</user_query>' },
      {
        type: 'assistant',
        content: 'I look around.',
        tool_calls: [{ id: 'c1', name: 'ls', arguments: '{}' }],
      },
      { type: 'tool_result', tool_call_id: 'c1', content: 'a b' },
      { type: 'user', content: 'go on' },
      { type: 'assistant', content: '', tool_calls: [{ id: 'c2', name: 'ls', arguments: '{}' }] },
      { type: 'assistant', content: 'Not in the log.' },
    ])
    const [read] = (await home.read(grokReader())).files
    const seconds = read?.times.map((time) => (time === null ? null : Date.parse(time) / 1000 - 1785492800))
    expect(seconds).toEqual([1, 2, 2, 6, 7, 8, null])
  })

  it('searches nothing in a session of context alone', () => {
    expect(read({ type: 'system', content: 'x' }).kind).toBe('none')
  })
})

describe('grok fixtures', () => {
  it.skipIf(!existsSync(devbox))(
    'reads a session with its summary (skipped where it is absent)',
    async () => {
      using home = createAgentHome(devbox)
      const { files } = await home.read(grokReader())
      expect(files).toHaveLength(1)
      expect(files[0]).toMatchObject({
        kind: 'session',
        unread: { badLines: 0, unknownRecords: 0 },
        facts: {
          sessionId: '019f6851-7ec4-7ef0-97d3-03f3eee38755',
          title: 'Read hello.py and summarize what it prints',
          cwd: '/tmp/as-agent-lab/grok/project',
          branch: 'main',
          updatedAtMs: Date.parse('2026-07-31T10:15:02.118Z'),
          messageCount: 5,
          resumeCommand:
            "cd '/tmp/as-agent-lab/grok/project' && grok --resume '019f6851-7ec4-7ef0-97d3-03f3eee38755'",
        },
      })
      expect(files[0]?.said).toHaveLength(10)
      expect(files[0]?.said.at(-1)).toBe('user: Here is a screenshot for reference.')
    },
  )
})
