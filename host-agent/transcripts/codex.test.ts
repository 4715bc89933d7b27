import { describe, expect, it } from 'vitest'
import {
  agentEvent,
  agentItem,
  completed,
  event,
  item,
  line,
  meta,
  readCodex,
  rolloutPath,
  sessionId,
  startMs,
  userEvent,
  userItem,
} from '../../test/helpers/codex-records.ts'
import { foldTranscript, openFold, spoken, transcriptFile } from '../../test/helpers/fold-transcript.ts'
import { codexReader } from './codex.ts'
import { UnknownFoldState } from './reader.ts'

describe('codexReader', () => {
  const { roots } = codexReader()
  const environment = { homeDir: '/home/dev', platform: 'linux', env: {} } as const

  it('looks in the sessions and the archived ones of the default home', () => {
    expect(roots(environment)).toEqual([
      { path: '/home/dev/.codex/sessions' },
      { path: '/home/dev/.codex/archived_sessions' },
    ])
  })

  it('[exposure.codex-home-omitted] names the home only where it is not the default', () => {
    const at = (home: string) => roots({ ...environment, env: { CODEX_HOME: home } })
    expect(at('/opt/codex/')[0]).toEqual({ path: '/opt/codex/sessions', codexHome: '/opt/codex' })
    expect(at('/home/dev/.codex')[0]).toEqual({ path: '/home/dev/.codex/sessions' })
    expect(at('/home/dev/.codex/')[0]).toEqual({ path: '/home/dev/.codex/sessions' })
    expect(at('codex')[0]).toEqual({ path: '/home/dev/.codex/sessions' })
    const facts = readCodex([meta(), userItem(1, 'x')]).facts
    expect('codexHome' in facts).toBe(false)
  })

  it('carries a home that is not the default into facts and command', () => {
    const root = { path: '/opt/codex/sessions', codexHome: '/opt/codex' }
    const { facts } = foldTranscript(codexReader(), { ...transcriptFile(rolloutPath), root }, [
      meta(),
      userItem(1, 'x'),
    ])
    expect(facts).toMatchObject({
      codexHome: '/opt/codex',
      resumeCommand: `cd '/home/dev/app' && CODEX_HOME='/opt/codex' codex resume '${sessionId}'`,
    })
  })

  it('says why a packed transcript is left unread', () => {
    const reader = codexReader(null)
    expect(reader.formatOf(rolloutPath)?.kind).toBe('lines')
    expect(reader.unreadable?.(rolloutPath)).toBeNull()
    expect(reader.formatOf(`${rolloutPath}.zst`)).toBeNull()
    expect(reader.unreadable?.(`${rolloutPath}.zst`)).toMatch(/zstd/)
    expect(reader.unreadable?.('2026/notes.txt')).toBeNull()
  })
})

describe('codex messages', () => {
  it('[index.text-in-full] emits each message once where all kinds of record hold it', () => {
    const long = 'word '.repeat(50_000).trim()
    const all = readCodex([
      meta(),
      userEvent(1, 'Where is the loop?'),
      userItem(1, 'Where is the loop?'),
      completed(1, 'UserMessage', { content: [{ type: 'text', text: 'Where is the loop?' }] }),
      item(2, 'reasoning', {
        summary: [{ type: 'summary_text', text: 'Look around.' }],
        encrypted_content: 'x',
      }),
      event(2, 'agent_reasoning', { text: 'Look around.' }),
      completed(2, 'Reasoning', { summary_text: ['Look around.'], raw_content: [] }),
      agentItem(3, long),
      agentEvent(3, long),
      completed(3, 'AgentMessage', { content: [{ type: 'Text', text: long }] }),
      event(4, 'task_complete', { last_agent_message: long }),
    ])
    expect(all.messages).toEqual([
      { role: 'user', text: 'Where is the loop?', timestampMs: startMs + 1000 },
      { role: 'assistant', text: 'Look around.', timestampMs: startMs + 2000 },
      { role: 'assistant', text: long, timestampMs: startMs + 3000 },
    ])
    expect(all.facts).toEqual({
      sessionId,
      title: 'Where is the loop?',
      cwd: '/home/dev/app',
      branch: 'main',
      createdAtMs: startMs,
      updatedAtMs: startMs + 4000,
      messageCount: 2,
      resumeCommand: `cd '/home/dev/app' && codex resume '${sessionId}'`,
    })
    expect(all.unread).toEqual({ badLines: 0, unknownRecords: 0 })
  })

  it.each([
    ['response items', [userItem(1, 'q'), agentItem(2, 'a')]],
    ['events', [userEvent(1, 'q'), agentEvent(2, 'a')]],
    [
      'completed items',
      [
        completed(1, 'UserMessage', { content: [{ type: 'text', text: 'q' }] }),
        completed(2, 'AgentMessage', { content: [{ type: 'Text', text: 'a' }] }),
      ],
    ],
    ['a mixture', [userEvent(1, 'q'), agentItem(2, 'a')]],
  ])('loses nothing where only %s hold a message', (_name, records) => {
    const one = readCodex([meta(), ...records])
    expect(spoken(one)).toEqual(['user: q', 'assistant: a'])
    expect(one.facts.messageCount).toBe(2)
  })

  it('keeps the same words said again, moments or hours later', () => {
    const twice = (second: number) => [agentItem(second, 'Ok'), agentEvent(second, 'Ok')]
    expect(readCodex([meta(), ...twice(1), ...twice(2), ...twice(9000)]).messages).toHaveLength(3)
    // Hours apart, two kinds of record are two messages.
    expect(readCodex([meta(), userItem(1, 'continue'), userEvent(9000, 'continue')]).messages).toHaveLength(2)
  })

  it('matches a reply in parts with the events that come part by part', () => {
    const first = readCodex([
      meta(),
      agentItem(1, 'One.', 'Two.'),
      agentEvent(1, 'One.'),
      agentEvent(1, 'Two.'),
    ])
    expect(spoken(first)).toEqual(['assistant: One.\nTwo.'])
    const second = readCodex([meta(), agentEvent(1, 'One.'), agentItem(1, 'One.', 'Two.')])
    expect(spoken(second)).toEqual(['assistant: One.', 'assistant: Two.'])
  })

  it('matches a request in parts with the event that holds them in one', () => {
    const one = readCodex([meta(), userItem(1, 'Fix this: ', 'the loop'), userEvent(1, 'Fix this:the loop')])
    expect(spoken(one)).toEqual(['user: Fix this:\nthe loop'])
  })

  it('matches a plan inside a reply with the plan that comes as an item', () => {
    const plan = readCodex([
      meta(),
      agentItem(
        1,
        'Here it is.\n<proposed_plan>\n1. Stop the loop\n</proposed_plan><oai-mem-citation>r1</oai-mem-citation>',
      ),
      agentEvent(1, 'Here it is.'),
      completed(1, 'Plan', { text: '1. Stop the loop' }),
    ])
    expect(spoken(plan)).toEqual(['assistant: Here it is.\n1. Stop the loop'])
  })

  it.each([
    ['project instructions', '# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>'],
    ['their block alone', '<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>'],
    ['the environment', '<environment_context><cwd>/w</cwd></environment_context>'],
    ['user instructions', '<user_instructions>\nBe brief.\n</user_instructions>'],
    ['an aborted turn', '<turn_aborted>\nThe user interrupted.\n</turn_aborted>'],
    ['a goal', '<goal_context>ship it</goal_context>'],
    ['an image', '<image name=[Image #1]>'],
    ['white space', ' \n'],
  ])('does not take %s for the words of a user', (_name, text) => {
    const injected = readCodex([meta(), userItem(1, text), userEvent(2, text)])
    expect(injected.messages).toEqual([])
    expect(injected).toMatchObject({
      kind: 'none',
      facts: { messageCount: 0, title: `Codex ${sessionId.slice(0, 8)}` },
    })
  })

  it('keeps what was asked beside instructions, context and images', () => {
    const asked = readCodex([
      meta(),
      userItem(
        1,
        '# AGENTS.md instructions for /w\n<INSTRUCTIONS>x</INSTRUCTIONS>',
        '<environment_context>y</environment_context>',
        'fix it',
      ),
      userItem(
        2,
        '# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\nrename it\n',
      ),
      userItem(3, '<image name=[Image #1]>', '</image>', 'like this'),
      line(4, 'response_item', {
        type: 'message',
        role: 'developer',
        content: [{ type: 'input_text', text: 'rules' }],
      }),
    ])
    expect(spoken(asked)).toEqual(['user: fix it', 'user: rename it', 'user: like this'])
  })

  it('takes a goal and the wish for a review as said by the user, once', () => {
    const said = readCodex([
      meta(),
      event(1, 'thread_goal_updated', { goal: { objective: 'no more loops', status: 'active' } }),
      event(90, 'thread_goal_updated', { goal: { objective: 'no more loops', status: 'done' } }),
      event(91, 'entered_review_mode', { target: { type: 'custom', instructions: 'look at retries' } }),
      event(92, 'entered_review_mode', {
        target: { type: 'uncommittedChanges' },
        user_facing_hint: 'current changes',
      }),
    ])
    expect(spoken(said)).toEqual(['user: no more loops', 'user: look at retries'])
  })

  it('searches summaries, errors and words between agents as tool text', () => {
    const remarks = readCodex([
      meta(),
      line(1, 'compacted', {
        message: 'So far: fixed.',
        replacement_history: [{ type: 'message', content: 'again' }],
      }),
      event(2, 'error', { message: 'stream disconnected' }),
      item(3, 'agent_message', {
        author: 'scout',
        content: [{ type: 'input_text', text: 'found it' }, { type: 'encrypted_content' }],
      }),
      userItem(4, '<user_shell_command>\nls\n</user_shell_command>'),
    ])
    expect(spoken(remarks)).toEqual([
      'tool: So far: fixed.',
      'tool: error: stream disconnected',
      'tool: scout: found it',
      'tool: ls',
    ])
    expect(remarks.facts.messageCount).toBe(0)
  })

  it('reads the bare items of very old files', () => {
    const old = readCodex(
      [
        {
          id: 'old-session',
          timestamp: '2025-05-01T00:00:00.000Z',
          instructions: 'x',
          git: { branch: 'trunk' },
        },
        { record_type: 'state' },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
        { created_at: '2025-05-01T00:00:05Z', role: 'user', message: 'and again' },
        { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'c' },
        { type: 'function_call_output', call_id: 'c', output: 'a.txt' },
        { role: 'assistant', content: 'done' },
      ],
      'rollout-2025-05-01-old.jsonl',
    )
    expect(spoken(old)).toEqual([
      'user: hello',
      'user: and again',
      'tool: shell: ls',
      'tool: a.txt',
      'assistant: done',
    ])
    expect(old.facts).toMatchObject({ sessionId: 'old-session', branch: 'trunk', messageCount: 3 })
    expect(old.facts.updatedAtMs).toBe(Date.parse('2025-05-01T00:00:05Z'))
    expect(old.unread.unknownRecords).toBe(0)
  })

  it('counts what it does not know and what is no record, and survives fields of the wrong kind', () => {
    const odd = readCodex([
      '{"type":',
      '"text"',
      line(1, 'new_record', {}),
      event(1, 'new_event'),
      item(1, 'new_item'),
      completed(1, 'NewItem'),
      {},
      event(1, 'token_count', { info: null }),
      line(1, 'world_state', {}),
      event(1, 'user_message', { message: 7 }),
      event(1, 'mcp_tool_call_end', { invocation: [], result: 'x' }),
      line(1, 'turn_context', { cwd: 'not a path' }),
      item(1, 'message', { role: ['user'], content: { text: 'x' } }),
      line(1, 'session_meta', { source: { subagent: null }, git: 'main', timestamp: 7 }),
    ])
    expect(odd.unread).toEqual({ badLines: 2, unknownRecords: 5 })
    expect(spoken(odd)).toEqual(['tool: tool'])
    expect(odd.facts).toMatchObject({ cwd: null, branch: null })
  })
})

describe('codex facts', () => {
  it('names a session by its thread name, the latest one, else by the first words', () => {
    const words = userItem(1, 'fix  the\nloop')
    expect(readCodex([meta(), words]).facts.title).toBe('fix the loop')
    expect(readCodex([meta({ title: 'From the start' }), words]).facts.title).toBe('From the start')
    expect(
      readCodex([
        meta({ thread_name: 'Old' }),
        words,
        event(2, 'thread_name_updated', { thread_name: 'New' }),
      ]).facts.title,
    ).toBe('New')
  })

  it('follows the session to the folder of its latest turn', () => {
    const moved = [
      line(1, 'turn_context', { cwd: '/home/dev/app' }),
      line(2, 'turn_context', { cwd: '/home/dev/other' }),
    ]
    expect(readCodex([meta(), ...moved, userItem(3, 'x')]).facts.cwd).toBe('/home/dev/other')
  })

  it('takes the id from the name of the file where the first line is lost', () => {
    expect(readCodex(['{"torn', userItem(1, 'x')]).facts.sessionId).toBe(sessionId)
  })
})

describe('codex fold state', () => {
  it('stays small in a long session', () => {
    const fold = openFold(codexReader(), transcriptFile(rolloutPath))
    for (let at = 0; at < 5000; at += 1) {
      const records = [
        agentItem(at, `${at} ${'word '.repeat(200)}`),
        item(at, 'function_call', { call_id: `c${at}`, name: 'f' }),
      ]
      for (const record of records) fold.line(JSON.stringify(record), () => {})
    }
    expect(JSON.stringify(fold.save()).length).toBeLessThan(12_000)
  })

  it('is refused where it is of another version', () => {
    for (const saved of [null, {}, { version: 2 }, 'x']) {
      expect(() => openFold(codexReader(), transcriptFile(rolloutPath), saved)).toThrow(UnknownFoldState)
    }
  })
})
