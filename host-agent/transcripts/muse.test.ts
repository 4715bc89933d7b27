import { describe, expect, it } from 'vitest'
import { foldTranscript, spoken, transcriptFile } from '../../test/helpers/fold-transcript.ts'
import { museReader } from './muse.ts'

const id = '01a00000-0000-7000-8000-000000000001'
const startUs = 1787200000_000_000
const record = (second: number, payload: object, type = 'runtime.session') => ({
  recorded_at: startUs + second * 1_000_000,
  payload_type: type,
  payload,
})
const event = (second: number, fields: object) => record(second, { kind: 'run', event: fields })
const read = (records: readonly (string | object)[], path = `2026/08/20/${id}/session.jsonl`) =>
  foldTranscript(museReader(), transcriptFile(path), records)

describe('museReader', () => {
  const { roots, formatOf, enters } = museReader()

  it('looks where the platform keeps data', () => {
    const environment = { homeDir: '/home/dev', platform: 'linux', env: {} } as const
    expect(roots(environment)).toEqual([{ path: '/home/dev/.local/share/muse/sessions' }])
    expect(roots({ ...environment, env: { XDG_DATA_HOME: '/d' } })).toEqual([{ path: '/d/muse/sessions' }])
  })

  it('takes logs of sessions and of their subagents, not the outputs of tools', () => {
    expect(formatOf(`2026/08/20/${id}/session.jsonl`)?.kind).toBe('lines')
    expect(formatOf(`2026/08/20/${id}/subagent/x/session.jsonl`)?.kind).toBe('lines')
    expect(formatOf(`2026/08/20/${id}/tool-outputs/session.jsonl`)).toBeNull()
    expect(formatOf('session.jsonl')).toBeNull()
    expect(enters?.(`2026/08/20/${id}/tool-outputs`)).toBe(false)
  })
})

describe('muse messages', () => {
  it('reads times in microseconds, and folder and branch from the records', () => {
    const { messages, facts } = read([
      record(0, { workspace_root: '/work/app', branch: 'dev' }, 'runtime.session.metadata'),
      event(1, { kind: 'started', prompt: 'Hello' }),
      record(2, { kind: 'route_facts', record: { cwd: '/elsewhere' } }),
    ])
    expect(messages[0]?.timestampMs).toBe(startUs / 1000 + 1000)
    expect(facts).toMatchObject({
      sessionId: id,
      title: 'Hello',
      cwd: '/work/app',
      branch: 'dev',
      createdAtMs: startUs / 1000,
      resumeCommand: `cd '/work/app' && muse resume '${id}'`,
    })
  })

  it('folds a prompt that is thrown in and then begins a run, within a minute', () => {
    const steer = (second: number) =>
      event(second, { kind: 'inbox_item_queued', source: { source: 'user_steer' }, body: 'Faster' })
    const start = (second: number) => event(second, { kind: 'started', prompt: 'Faster' })
    expect(spoken(read([steer(0), start(59)]))).toEqual(['user: Faster'])
    expect(spoken(read([steer(0), start(61)]))).toEqual(['user: Faster', 'user: Faster'])
    const delivery = event(0, { kind: 'inbox_item_queued', source: { source: 'task' }, body: 'A task ended' })
    expect(read([delivery]).kind).toBe('none')
  })

  it('tells failures, and counts events with words it does not know', () => {
    const whole = read([
      event(0, { kind: 'terminal', terminal: 'failed', reason: 'quota reached' }),
      event(1, { kind: 'terminal', terminal: 'completed', reason: 'ok' }),
      event(2, { kind: 'model_completed', usage: {} }),
      event(3, { kind: 'quite_new', text: 'words' }),
      record(4, { kind: 'task', event: { kind: 'x', text: 'background' } }),
      { retained_frame: 'session_permission_transaction' },
      {},
      '{torn',
    ])
    expect(spoken(whole)).toEqual(['tool: quota reached'])
    expect(whole.unread).toEqual({ badLines: 1, unknownRecords: 2 })
  })

  it('gives subagents, however deep, to their session', () => {
    const whole = read(
      [event(0, { kind: 'started', prompt: 'Look it up' })],
      `2026/08/20/${id}/subagent/a/subagent/b/session.jsonl`,
    )
    expect(whole.kind).toBe('part')
    expect(whole.facts).toMatchObject({ sessionId: id, messageCount: 0, resumeCommand: null })
    expect(spoken(whole)).toEqual(['assistant: Look it up'])
  })
})
