import { describe, expect, it } from 'vitest'
import type { HostEntry } from '../../protocol/rpc/describe.ts'
import { absentServiceStatus, type SearchStatus } from '../../protocol/session-search/status.ts'
import { sayUnfinished } from '../words/say-unfinished.ts'
import { renderHostLines, renderHostTable } from './render-hosts.ts'
import { renderStatus } from './render-status.ts'
import { createTextMeasure } from './text-width.ts'

const nowMs = Date.parse('2026-11-30T12:00:00Z')
const ready: HostEntry = {
  executionHostId: 'local',
  kind: 'local',
  label: 'local',
  state: 'ready',
  retryAt: null,
  lastSeenAt: nowMs - 5_000,
  roundTripMs: 0.4,
  version: '0.1.0',
  capabilities: [],
}
const offline: HostEntry = {
  ...ready,
  executionHostId: 'ssh:devbox',
  kind: 'ssh',
  state: 'offline',
  reason: 'auth-failed',
  detail: 'devbox refused the login:\n\u001b[31mit offers publickey only',
  retryAt: nowMs + 12_000,
  lastSeenAt: null,
  roundTripMs: null,
  version: null,
}

describe('renderHostTable', () => {
  it('lines the columns up and puts each sentence below', () => {
    expect(renderHostTable([ready, offline], nowMs, createTextMeasure())).toBe(
      [
        'host        state    reason       retry in  last seen  round trip  version',
        'local       ready    –            –         just now   0 ms        0.1.0',
        'ssh:devbox  offline  auth-failed  12 s      never      –           –',
        'ssh:devbox: devbox refused the login: it offers publickey only',
        '',
      ].join('\n'),
    )
  })
})

describe('a host whose breaker is open', () => {
  it('is shown as that, with the reason and when it may be asked again, and is not while a ping tries it out', () => {
    const held: HostEntry = { ...ready, breaker: 'open', reason: 'timeout', retryAt: nowMs + 30_000 }
    expect(renderHostLines([held], nowMs)).toContain('local\tready, breaker open\ttimeout\t30 s\t')
    expect(renderHostLines([{ ...held, breaker: 'half-open' }], nowMs)).toContain('ready, breaker half-open')
    expect(renderHostLines([{ ...held, breaker: 'closed' }], nowMs)).toContain('local\tready\t')
  })
})

describe('renderHostLines', () => {
  it('is one line a host, tabs between', () => {
    expect(renderHostLines([offline], nowMs)).toBe(
      'ssh:devbox\toffline\tauth-failed\t12 s\tnever\t–\t–\tdevbox refused the login: it offers publickey only\n',
    )
  })
})

const current: SearchStatus = {
  enabled: true,
  phase: 'current',
  filesIndexed: 412,
  filesDue: 0,
  filesFailed: 1,
  degradedRoots: [],
  lastReconcileAt: nowMs - 120_000,
  lastSweepCompletedAt: null,
  generation: 88,
}

describe('renderStatus', () => {
  it('says what the indexer last saw', () => {
    expect(renderStatus('local', current, nowMs)).toBe(
      'local: current\n  412 files indexed, 0 due, 1 failed · generation 88\n  last look 2 min ago · last full sweep never\n',
    )
  })

  it('shows progress and the roots that could not be read', () => {
    const status: SearchStatus = {
      ...current,
      phase: 'degraded',
      progress: { filesDone: 1, filesTotal: 3, bytesDone: 50, bytesTotal: 200 },
      degradedRoots: [{ root: '/x', reason: 'EACCES' }, { reason: 'Source root could not be verified.' }],
      unreadLines: 2,
    }
    expect(renderStatus('ssh:a', status, nowMs).split('\n')).toEqual([
      'ssh:a: degraded (1 of 3 files, 25 %)',
      '  412 files indexed, 0 due, 1 failed · generation 88',
      '  last look 2 min ago · last full sweep never',
      '  2 lines could not be read',
      '  ! /x: EACCES',
      '  ! Source root could not be verified.',
      '',
    ])
  })

  it('says how fast it gets on, who is at work, and what was not read and why', () => {
    const status: SearchStatus = {
      ...current,
      phase: 'indexing',
      filesFailed: 3,
      progress: {
        filesDone: 1,
        filesTotal: 3,
        bytesDone: 50,
        bytesTotal: 200,
        bytesPerSec: 41_200_000,
        msLeft: 130_000,
      },
      writer: 'another-agent',
      watching: { mode: 'polling', reason: '/net is on a disk that does not tell of every change' },
      unreadFiles: [
        { path: '/a/\u001b[31mb.jsonl', agent: 'claude', reason: 'may not be read', lines: 0 },
        { path: '/c.jsonl', agent: 'codex', lines: 2 },
      ],
    }
    expect(renderStatus('local', status, nowMs).split('\n')).toEqual([
      'local: indexing (1 of 3 files, 25 %, 41 MB/s, 2 min left)',
      '  412 files indexed, 0 due, 3 failed · generation 88',
      '  last look 2 min ago · last full sweep never',
      '  another agent of this machine is indexing',
      '  changes are looked for, not told: /net is on a disk that does not tell of every change',
      '  - /a/b.jsonl (claude): may not be read',
      '  - /c.jsonl (codex): 2 lines left out',
      '  - and 2 more that failed',
      '',
    ])
  })

  it('names a degraded root once, though its reason names it too', () => {
    const degradedRoots = [{ root: '/x', reason: '/x held transcripts and is empty' }]
    expect(renderStatus('local', { ...current, degradedRoots }, nowMs)).toContain(
      '\n  ! /x held transcripts and is empty\n',
    )
  })

  it('says nothing of files that it may not name, and nothing of progress where there is none', () => {
    const status: SearchStatus = {
      ...current,
      progress: { filesDone: 0, filesTotal: 0, bytesDone: 0, bytesTotal: 0, bytesPerSec: null, msLeft: null },
      unreadFiles: [{ agent: 'claude', lines: 0 }],
    }
    expect(renderStatus('ssh:a', status, nowMs)).toBe(renderStatus('ssh:a', current, nowMs))
  })

  it('does not take an absent service for an empty index', () => {
    expect(renderStatus('ssh:a', absentServiceStatus, nowMs)).toBe('ssh:a: no session search here\n')
  })
})

describe('sayUnfinished', () => {
  it.each<[Partial<SearchStatus>, boolean, string | null]>([
    [{}, false, null],
    [{}, true, 'its index may not have caught up in time'],
    [{ phase: 'indexing', filesDue: 88 }, false, 'it is still indexing (412 of 500 files)'],
    [
      {
        phase: 'indexing',
        filesDue: 88,
        progress: {
          filesDone: 2,
          filesTotal: 90,
          bytesDone: 1,
          bytesTotal: 9,
          bytesPerSec: 2_500_000,
          msLeft: 9_000,
        },
      },
      false,
      'it is still indexing (412 of 500 files, 2.5 MB/s, 9 s left)',
    ],
    [{ phase: 'degraded', degradedRoots: [{ reason: 'x' }] }, false, '1 of its sources could not be read'],
    [{ phase: 'closed' }, false, 'its index is closed'],
    [{ phase: 'idle', lastReconcileAt: null }, false, 'its index has not been filled yet'],
  ])('for %j, stale %s, is %j', (overrides, wasStale, words) => {
    expect(sayUnfinished({ ...current, ...overrides }, wasStale)).toBe(words)
  })
})
