import { describe, expect, it } from 'vitest'
import {
  assistant,
  readClaude,
  record,
  sessionId,
  startMs,
  textBlock,
  user,
} from '../../test/helpers/claude-records.ts'
import { foldTranscript, spoken } from '../../test/helpers/fold-transcript.ts'
import { claudeReader } from './claude.ts'

describe('claude facts', () => {
  const title = (records: readonly object[]) => readClaude(records).facts.title

  it('names a session by its custom title, else the latest generated one, else the first words', () => {
    const words = [
      user(0, '<system-reminder>x</system-reminder>'),
      user(1, 'fix  the\nloop'),
      user(2, 'more'),
    ]
    const ai = [
      record(3, { type: 'ai-title', aiTitle: 'Older' }),
      record(4, { type: 'ai-title', aiTitle: 'Newer' }),
    ]
    const custom = record(5, { type: 'custom-title', customTitle: 'Mine' })
    expect(title(words)).toBe('fix the loop')
    expect(title([...words, ...ai])).toBe('Newer')
    expect(title([custom, ...words, ...ai])).toBe('Mine')
  })

  it('falls back to the last prompt, the command, and the id', () => {
    const init = user(0, '<command-name>/init</command-name>')
    expect(title([init])).toBe('/init')
    expect(title([init, record(1, { type: 'last-prompt', lastPrompt: 'do it' })])).toBe('do it')
    expect(title([assistant(0, 'm', 'hi')])).toBe('Claude Code 11111111')
  })

  it('is not named by the summaries of other sessions at its head', () => {
    const summary = { type: 'summary', summary: 'Another session', leafUuid: 'elsewhere' }
    expect(title([summary, summary, user(0, 'my own words')])).toBe('my own words')
    expect(readClaude([summary])).toMatchObject({ kind: 'none', unread: { badLines: 0, unknownRecords: 0 } })
  })

  it('keeps the folder where it began, and the branch it was on last', () => {
    const { facts } = readClaude([
      user(0, 'a', { cwd: '/home/dev/app', gitBranch: 'main' }),
      user(20, 'b', { cwd: '/home/dev/app/sub', gitBranch: 'fix' }),
      user(10, 'c', { cwd: '/elsewhere', gitBranch: 'late-written' }),
      user(30, 'd', { gitBranch: '' }),
      record(31, { type: 'relocated', relocatedCwd: '/moved', cwd: undefined, gitBranch: undefined }),
    ])
    expect(facts).toMatchObject({ cwd: '/home/dev/app', branch: 'fix' })
    expect(facts).toMatchObject({ createdAtMs: startMs, updatedAtMs: startMs + 31_000 })
  })

  it('keeps the id its file is named for where a resumed session starts with copies of another', () => {
    const copied = user(0, 'copied', { sessionId: 'older-session' })
    expect(readClaude([copied]).facts.sessionId).toBe('older-session')
    expect(
      readClaude([copied, user(1, 'own'), user(2, 'copied too', { sessionId: 'older-session' })]).facts
        .sessionId,
    ).toBe(sessionId)
  })

  it('takes the id from the name of the file where no record has one', () => {
    const line = { type: 'user', message: { content: 'x' } }
    expect(readClaude([line]).facts.sessionId).toBe(sessionId)
    expect(readClaude([line], '-tmp/notes.jsonl').facts.sessionId).toBe('notes')
  })

  it('gives a Windows command for a transcript on Windows', () => {
    const file = { root: { path: 'C:\\r' }, path: 'C:\\r\\p\\s.jsonl', relativePath: 'p/s.jsonl' }
    const { facts } = foldTranscript(claudeReader(), file, [user(0, 'x', { cwd: 'C:\\app', sessionId: 's' })])
    expect(facts.resumeCommand).toBe('cmd /d /s /c "cd /d ""C:\\app"" && claude --resume ""s"""')
  })
})

describe('claude subagents', () => {
  const sidechain = { isSidechain: true, cwd: '/home/dev/worktree', gitBranch: 'side' }

  it('searches sidechain records with the session but lets them change nothing of it', () => {
    const mixed = readClaude([
      user(0, 'Search the repo for TODO', sidechain),
      user(1, 'my words'),
      assistant(50, 'msg_s', [textBlock('Searching.')], sidechain),
    ])
    expect(spoken(mixed)).toEqual([
      'assistant: Search the repo for TODO',
      'user: my words',
      'assistant: Searching.',
    ])
    expect(mixed.facts).toMatchObject({
      title: 'my words',
      cwd: '/home/dev/app',
      branch: 'main',
      updatedAtMs: startMs + 1000,
      messageCount: 1,
    })
  })

  it.each([
    ['the id in the records', `-p/${sessionId}/subagents/agent-1.jsonl`, sessionId, sessionId],
    [
      'the folder, where records hold their own id',
      `-p/${sessionId}/subagents/agent-1.jsonl`,
      'agent-1',
      sessionId,
    ],
    [
      'the folder, where records name another agent',
      `-p/${sessionId}/subagents/agent-1.jsonl`,
      'agent-2',
      sessionId,
    ],
    [
      'the folder above a deeper one',
      `-p/${sessionId}/subagents/workflows/w1/agent-1.jsonl`,
      'agent-1',
      sessionId,
    ],
    ['a workflow of the session', `-p/${sessionId}/workflows/w1/agent-1.jsonl`, 'agent-1', sessionId],
    ['the records beside the sessions', '-p/agent-1.jsonl', sessionId, sessionId],
  ])('is a part of its parent by %s', (_name, path, recordedId, parentId) => {
    const part = readClaude(
      [
        user(0, 'Run the tests', { ...sidechain, sessionId: recordedId }),
        assistant(1, 'm', [textBlock('They pass.')], { ...sidechain, sessionId: recordedId }),
      ],
      path,
    )
    expect(part.kind).toBe('part')
    expect(part.facts).toMatchObject({ sessionId: parentId, messageCount: 0, resumeCommand: null })
    expect(spoken(part)).toEqual(['assistant: Run the tests', 'assistant: They pass.'])
  })

  it('holds nothing where a workflow journal says only that agents ran', () => {
    const journal = readClaude(
      [
        { type: 'started', key: 'k' },
        { type: 'result', key: 'k', result: 'x' },
      ],
      `-p/${sessionId}/workflows/j.jsonl`,
    )
    expect(journal).toMatchObject({ kind: 'none', messages: [], unread: { badLines: 0, unknownRecords: 0 } })
  })
})
