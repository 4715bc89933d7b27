import { describe, expect, it } from 'vitest'
import {
  assistant,
  mainPath,
  readClaude,
  record,
  sessionId,
  startMs,
  textBlock,
  user,
} from '../../test/helpers/claude-records.ts'
import { openFold, spoken, transcriptFile } from '../../test/helpers/fold-transcript.ts'
import { claudeReader } from './claude.ts'
import { UnknownFoldState } from './reader.ts'

describe('claudeReader', () => {
  const { roots, formatOf } = claudeReader()
  const environment = { homeDir: '/home/dev', platform: 'linux', env: {} } as const

  it('looks in both default homes, and only in the configured one where there is one', () => {
    expect(roots(environment).map(({ path }) => path)).toEqual([
      '/home/dev/.claude/projects',
      '/home/dev/.config/claude/projects',
    ])
    expect(roots({ ...environment, env: { CLAUDE_CONFIG_DIR: '/opt/claude' } })).toEqual([
      { path: '/opt/claude/projects' },
    ])
    expect(roots({ ...environment, env: { CLAUDE_CONFIG_DIR: 'claude' } })).toHaveLength(2)
  })

  it('joins the paths of Windows as Windows does', () => {
    const windows = { homeDir: 'C:\\Users\\dev', platform: 'win32', env: {} } as const
    expect(roots(windows)[0]).toEqual({ path: 'C:\\Users\\dev\\.claude\\projects' })
  })

  it('accepts transcripts and not what tools left beside them', () => {
    expect(formatOf(mainPath)?.kind).toBe('lines')
    expect(formatOf(`-p/${sessionId}/subagents/agent-1.jsonl`)?.kind).toBe('lines')
    expect(formatOf('-p/sessions-index.json')).toBeNull()
    expect(formatOf(`-p/${sessionId}/subagents/agent-1.meta.json`)).toBeNull()
    expect(formatOf(`-p/${sessionId}/tool-results/rows.jsonl`)).toBeNull()
  })
})

describe('claude messages', () => {
  it('[index.text-in-full] emits user and assistant text in full, and tools as name, argument and result', () => {
    const long = 'word '.repeat(50_000).trim()
    const { messages, facts, kind, unread } = readClaude([
      user(0, 'Where is the reconnect loop?'),
      assistant(1, 'msg_1', [
        { type: 'thinking', thinking: 'Look in the socket code.', signature: 'x' },
        textBlock(long),
        {
          type: 'tool_use',
          id: 'toolu_1',
          name: 'Bash',
          input: { command: 'rg reconnect', description: 'find' },
        },
      ]),
      user(2, [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: [textBlock('a.ts:1'), { type: 'image' }, textBlock('b.ts:2')],
        },
      ]),
      assistant(3, 'msg_2', 'Found it.'),
    ])
    expect(messages).toEqual([
      { role: 'user', text: 'Where is the reconnect loop?', timestampMs: startMs },
      { role: 'assistant', text: `Look in the socket code.\n${long}`, timestampMs: startMs + 1000 },
      { role: 'tool', text: 'Bash: rg reconnect', timestampMs: startMs + 1000 },
      { role: 'tool', text: 'a.ts:1\nb.ts:2', timestampMs: startMs + 2000 },
      { role: 'assistant', text: 'Found it.', timestampMs: startMs + 3000 },
    ])
    expect(facts).toEqual({
      sessionId,
      title: 'Where is the reconnect loop?',
      cwd: '/home/dev/app',
      branch: 'main',
      createdAtMs: startMs,
      updatedAtMs: startMs + 3000,
      messageCount: 3,
      resumeCommand: `cd '/home/dev/app' && claude --resume '${sessionId}'`,
    })
    expect(kind).toBe('session')
    expect(unread).toEqual({ badLines: 0, unknownRecords: 0 })
  })

  it('takes the most telling argument of a call, else all of them, and bounds it', () => {
    const call = (input: unknown, at: number) =>
      assistant(at, `msg_${at}`, [{ type: 'tool_use', id: `t${at}`, name: 'T', input }])
    const { messages } = readClaude([
      call({ file_path: '/a', content: 'x' }, 0),
      call({ pattern: 'p', path: '/b' }, 1),
      call({ command: ['git', 'log'] }, 2),
      call({ todos: [{ id: 1 }] }, 3),
      call({ command: '   ', query: 'q' }, 4),
      call({}, 5),
      call({ command: `${'x'.repeat(1999)}😀` }, 6),
    ])
    expect(messages.map((message) => message.text)).toEqual([
      'T: /a',
      'T: /b',
      'T: git log',
      'T: {"todos":[{"id":1}]}',
      'T: q',
      'T',
      `T: ${'x'.repeat(1999)}`,
    ])
  })

  it('counts the lines of one reply once and emits each of its blocks once', () => {
    const read1 = readClaude([
      assistant(0, 'msg_1', [{ type: 'thinking', thinking: 'hm' }]),
      assistant(1, 'msg_1', [textBlock('First half.')]),
      assistant(2, 'msg_1', [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }]),
      // The same reply written once more under another uuid, and then with a block more.
      assistant(3, 'msg_1', [textBlock('First half.')]),
      assistant(4, 'msg_1', [
        { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } },
        textBlock('Second half.'),
      ]),
      assistant(5, 'msg_2', [textBlock('First half.')]),
    ])
    expect(spoken(read1)).toEqual([
      'assistant: hm',
      'assistant: First half.',
      'tool: Bash: ls',
      'assistant: Second half.',
      'assistant: First half.',
    ])
    expect(read1.facts.messageCount).toBe(2)
  })

  it('does not double a repeated line, and keeps the same words said again', () => {
    const line = user(0, 'yes')
    const result = user(1, [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }])
    const twice = readClaude([line, line, result, result, user(2, 'yes'), user(3, [textBlock('yes')])])
    expect(spoken(twice)).toEqual(['user: yes', 'tool: ok', 'user: yes', 'user: yes'])
    expect(twice.facts.messageCount).toBe(3)
  })

  it('keeps equal results of two calls that come in one record', () => {
    const results = ['t1', 't2'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' }))
    const both = user(0, results)
    expect(spoken(readClaude([both, both]))).toEqual(['tool: ok', 'tool: ok'])
  })

  it.each([
    ['a meta record', user(0, 'Expanded skill text', { isMeta: true })],
    ['a reminder', user(0, '<system-reminder>\nBe brief.\n</system-reminder>')],
    [
      'a command without words',
      user(0, '<command-name>/clear</command-name>\n<command-args></command-args>'),
    ],
    ['a local command', user(0, '<local-command-stdout>Set model to x</local-command-stdout>')],
    ['an interruption', user(0, [textBlock('[Request interrupted by user for tool use]')])],
    [
      'a caveat',
      user(0, 'Caveat: The messages below were generated by the user while running local commands.'),
    ],
    ['a stop hook', user(0, 'Stop hook feedback:\n- [check.sh]: tests fail')],
    ['white space', user(0, ' \n\t ')],
    ['an image alone', user(0, [{ type: 'image', source: {} }])],
  ])('emits nothing for %s', (_name, line) => {
    const nothing = readClaude([line])
    expect(nothing.messages).toEqual([])
    expect(nothing.facts.messageCount).toBe(0)
    expect(nothing.kind).toBe('none')
  })

  it('keeps the words around a reminder and those typed after a command', () => {
    const { messages, facts } = readClaude([
      user(
        0,
        '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>the loop</command-args>',
      ),
      user(1, [
        textBlock('<system-reminder>x</system-reminder>'),
        textBlock('and <b>this</b>\n<system-reminder>y</system-reminder>'),
      ]),
      user(2, '<ide_opened_file>The user opened a.ts</ide_opened_file>look here'),
    ])
    expect(messages.map((message) => message.text)).toEqual([
      '/review the loop',
      'and <b>this</b>',
      'look here',
    ])
    expect(facts).toMatchObject({ title: '/review the loop', messageCount: 3 })
  })

  it('searches summaries, notices and shell lines as tool text, uncounted', () => {
    const asides = readClaude([
      user(0, 'Earlier we fixed it.', { isCompactSummary: true }),
      user(1, 'This session is being continued from a previous conversation that ran out of context.'),
      user(2, '<bash-input>npm test</bash-input>'),
      user(3, '<bash-stdout>3 passed</bash-stdout><bash-stderr></bash-stderr>'),
      user(4, 'Background task finished', { origin: { kind: 'task-notification' } }),
      assistant(5, 'msg_1', [textBlock('API Error: overloaded')], { isApiErrorMessage: true }),
      assistant(6, 'msg_2', [textBlock('No response requested.')], {
        message: { id: 'msg_2', model: '<synthetic>', content: [textBlock('No response requested.')] },
      }),
    ])
    expect(spoken(asides)).toEqual([
      'tool: Earlier we fixed it.',
      'tool: This session is being continued from a previous conversation that ran out of context.',
      'tool: bash: npm test',
      'tool: 3 passed',
      'tool: Background task finished',
      'tool: API Error: overloaded',
      'tool: No response requested.',
    ])
    expect(asides.facts).toMatchObject({ messageCount: 0, title: 'Claude Code 11111111' })
  })

  it('takes a prompt typed while the agent was busy when it is delivered, not when it is queued', () => {
    const queued = (second: number, attachment: object) =>
      record(second, { type: 'attachment', attachment: { type: 'queued_command', ...attachment } })
    const { messages, facts } = readClaude([
      record(0, { type: 'queue-operation', operation: 'enqueue', content: 'also the docs' }),
      queued(1, { prompt: 'also the docs', commandMode: 'prompt' }),
      queued(2, { prompt: [{ type: 'image' }, textBlock('like this')], commandMode: 'prompt' }),
      queued(3, { prompt: 'task 1 done', commandMode: 'task-notification' }),
      queued(4, { prompt: 'hidden', commandMode: 'prompt', isMeta: true }),
      record(5, { type: 'attachment', attachment: { type: 'file', filename: 'a.ts', content: 'secret' } }),
    ])
    expect(messages.map(({ role, text: said }) => `${role}: ${said}`)).toEqual([
      'user: also the docs',
      'user: like this',
      'tool: task 1 done',
    ])
    expect(facts.messageCount).toBe(2)
  })

  it('reads tool calls and results that stand as records of their own', () => {
    const alone = readClaude([
      record(0, { type: 'tool_use', name: 'bash', input: { command: 'cat README.md' } }),
      record(1, { type: 'tool_result', name: 'bash', output: '# Title\n' }),
    ])
    expect(spoken(alone)).toEqual(['tool: bash: cat README.md', 'tool: # Title\n'])
  })

  it('passes silently over records that say nothing, and counts those it does not know', () => {
    const silent = [
      'system',
      'progress',
      'file-history-snapshot',
      'permission-mode',
      'mode',
      'pr-link',
      'result',
    ]
    const read1 = readClaude([
      ...silent.map((type, at) => record(at, { type, content: 'x' })),
      record(9, { type: 'new' }),
      {},
    ])
    expect(read1.messages).toEqual([])
    expect(read1.unread).toEqual({ badLines: 0, unknownRecords: 2 })
  })

  it('counts lines that are no records, and reads on', () => {
    const fold = openFold(claudeReader(), transcriptFile(mainPath))
    const said: string[] = []
    const good = JSON.stringify(user(0, 'still here'))
    for (const line of [
      '"{\\"type\\":',
      '{"type":"user"',
      '"a string"',
      '[1]',
      'null',
      '7',
      '',
      '  ',
      `\0\0${good}`,
      '\0\0\0',
    ]) {
      fold.line(line, (message) => said.push(message.text))
    }
    fold.skipLine()
    expect(said).toEqual(['still here'])
    expect(fold.unread()).toEqual({ badLines: 8, unknownRecords: 0 })
  })

  it('survives fields of the wrong kind and arguments nested beyond reason', () => {
    const deep = `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","name":"T","input":${'['.repeat(200_000)}${']'.repeat(200_000)}}]}}`
    const odd = [
      { type: 'user', message: 'text' },
      { type: 'user', message: { content: [null, 7, 'x', [], { type: 9 }] } },
      {
        type: 'assistant',
        message: {
          content: [
            { type: 'text', text: 5 },
            { type: 'tool_use', name: {}, input: 3 },
          ],
        },
      },
      { type: 'attachment', attachment: [] },
      { type: 'custom-title', customTitle: {} },
      { type: ['user'], timestamp: {}, sessionId: 4, cwd: 'relative', gitBranch: {} },
      deep,
    ]
    expect(spoken(readClaude(odd))).toEqual(['tool: tool: 3', 'tool: T'])
  })
})

describe('claude fold state', () => {
  it('stays small in a long session', () => {
    const fold = openFold(claudeReader(), transcriptFile(mainPath))
    for (let at = 0; at < 5000; at += 1) {
      const line = JSON.stringify(assistant(at, `msg_${at}`, [textBlock(`${at} ${'word '.repeat(200)}`)]))
      fold.line(line, () => {})
    }
    expect(JSON.stringify(fold.save()).length).toBeLessThan(10_000)
  })

  it('is refused where it is of another version', () => {
    for (const saved of [null, {}, { version: 2 }, 'x']) {
      expect(() => openFold(claudeReader(), transcriptFile(mainPath), saved)).toThrow(UnknownFoldState)
    }
  })
})
