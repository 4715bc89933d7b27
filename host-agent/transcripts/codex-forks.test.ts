import { describe, expect, it } from 'vitest'
import {
  agentItem,
  event,
  item,
  line,
  meta,
  readCodex,
  sessionId,
  startMs,
  userItem,
  uuidV7,
} from '../../test/helpers/codex-records.ts'
import { spoken } from '../../test/helpers/fold-transcript.ts'

describe('codex workers', () => {
  const parent = uuidV7(startMs - 60_000, 9)
  const spawn = { subagent: { thread_spawn: { parent_thread_id: parent, depth: 1 } } }
  const said = [userItem(1, 'look into it'), agentItem(2, 'done')]

  it('is a part of the thread that started it', () => {
    const part = readCodex([meta({ source: spawn, thread_source: 'subagent' }), ...said])
    expect(part.kind).toBe('part')
    expect(part.facts).toMatchObject({ sessionId: parent, messageCount: 0, resumeCommand: null })
    expect(spoken(part)).toEqual(['assistant: look into it', 'assistant: done'])
    expect(readCodex([meta({ thread_source: 'subagent', parent_thread_id: parent }), ...said]).kind).toBe(
      'part',
    )
  })

  it.each([
    ['nobody knows who started it', { source: { subagent: 'review' } }],
    ['its source is a worker', { thread_source: 'subagent' }],
    ['it only summarises another thread', { source: { subagent: 'compact' }, parent_thread_id: parent }],
    [
      'it only judges another thread',
      { source: { subagent: { other: 'guardian' } }, parent_thread_id: parent },
    ],
  ])('is not searched where %s', (_name, fields) => {
    expect(readCodex([meta(fields), ...said])).toMatchObject({ kind: 'none', messages: [] })
  })

  it('is a session where a person started it, by whatever way', () => {
    for (const fields of [
      {},
      { thread_source: 'user' },
      { thread_source: 'cli' },
      { source: 'vscode' },
      { source: 'exec' },
    ]) {
      expect(readCodex([meta(fields), ...said]).kind).toBe('session')
    }
  })
})

describe('codex forks', () => {
  const parentId = uuidV7(startMs - 3_600_000, 2)
  const parentMeta = (second: number) =>
    line(second, 'session_meta', {
      id: parentId,
      cwd: '/home/dev/parent',
      git: { branch: 'old' },
      thread_name: 'Parent',
    })
  const copiedTurn = uuidV7(startMs - 1_800_000, 3)
  const ownTurn = uuidV7(startMs + 5_000, 4)
  const forked = meta({ forked_from_id: parentId })

  it('holds only its own messages after the copy of its parent, though all is stamped anew', () => {
    const fork = readCodex([
      forked,
      parentMeta(0),
      line(0, 'turn_context', { turn_id: copiedTurn, cwd: '/home/dev/parent' }),
      userItem(0.01, 'parent asks'),
      agentItem(0.02, 'parent answers'),
      event(0.03, 'thread_name_updated', { thread_name: 'Parent, renamed' }),
      item(0.03, 'function_call', { call_id: 'c', name: 'shell', arguments: '{}' }),
      event(0.3, 'task_started', { turn_id: ownTurn }),
      line(0.3, 'turn_context', { turn_id: ownTurn, cwd: '/home/dev/app' }),
      userItem(0.3, 'fork asks'),
      agentItem(4, 'fork answers'),
    ])
    expect(spoken(fork)).toEqual(['user: fork asks', 'assistant: fork answers'])
    expect(fork.facts).toMatchObject({
      sessionId,
      title: 'fork asks',
      cwd: '/home/dev/app',
      branch: 'main',
      messageCount: 2,
      createdAtMs: startMs,
      updatedAtMs: startMs + 4000,
    })
  })

  it('finds the end of the copy by the pause where turns have no telling ids', () => {
    const fork = readCodex([
      forked,
      parentMeta(0),
      userItem(0.01, 'parent asks'),
      agentItem(0.02, 'parent answers'),
      userItem(6, 'fork asks'),
      agentItem(6.1, 'fork answers'),
    ])
    expect(spoken(fork)).toEqual(['user: fork asks', 'assistant: fork answers'])
  })

  it('is not misled by pauses in a copy that kept its own times', () => {
    const fork = readCodex([
      forked,
      parentMeta(-3600),
      userItem(-3600, 'parent asks'),
      agentItem(-3000, 'parent answers'),
      userItem(0.2, 'fork asks'),
    ])
    expect(spoken(fork)).toEqual(['user: fork asks'])
  })

  it('goes back to skipping where a pause was not the end after all', () => {
    const fork = readCodex([
      forked,
      parentMeta(0),
      event(2, 'token_count'),
      line(2, 'turn_context', { turn_id: copiedTurn }),
      userItem(2, 'parent asks'),
      line(9, 'turn_context', { turn_id: ownTurn }),
      userItem(9, 'fork asks'),
    ])
    expect(spoken(fork)).toEqual(['user: fork asks'])
  })

  it('ends the copy where its own session_meta comes again, for good', () => {
    const fork = readCodex([
      forked,
      parentMeta(0),
      userItem(0, 'parent asks'),
      forked,
      userItem(0, 'fork asks'),
      parentMeta(1),
      agentItem(1, 'still own'),
    ])
    expect(spoken(fork)).toEqual(['user: fork asks', 'assistant: still own'])
  })

  it('skips a copy that has no session_meta of the parent by the age of its turns', () => {
    const passthrough = { internal_chat_message_metadata_passthrough: { turn_id: copiedTurn } }
    const fork = readCodex([
      forked,
      item(0, 'message', { role: 'user', content: 'parent asks', ...passthrough }),
      line(1, 'turn_context', { turn_id: ownTurn }),
      userItem(1, 'fork asks'),
    ])
    expect(spoken(fork)).toEqual(['user: fork asks'])
  })

  it('knows a copy by the second session_meta where the first names no parent', () => {
    const fork = readCodex([meta(), parentMeta(0), userItem(0.01, 'parent asks'), userItem(6, 'fork asks')])
    expect(spoken(fork)).toEqual(['user: fork asks'])
  })

  it('is left alone where nothing was copied', () => {
    expect(
      spoken(readCodex([forked, userItem(0, 'fork asks'), agentItem(0.1, 'fork answers')])),
    ).toHaveLength(2)
    // A session that names no parent may hold older turn ids for all anyone knows.
    expect(
      spoken(readCodex([meta(), line(0, 'turn_context', { turn_id: copiedTurn }), userItem(0, 'mine')])),
    ).toEqual(['user: mine'])
  })

  it('holds nothing while it is only a copy', () => {
    expect(readCodex([forked, parentMeta(0), userItem(0, 'parent asks')]).kind).toBe('none')
  })
})
