import { describe, expect, it } from 'vitest'
import {
  type LegReport,
  legOutcomeSchema,
  type SearchResults,
  unavailableReasonSchema,
  unreachableReasonSchema,
} from '../../protocol/session-search/response.ts'
import { caveats, nothingFoundSentences, summaryLine } from './say-legs.ts'
import { sayWhy } from './say-why.ts'

const leg = (executionHostId: string, overrides: Partial<LegReport> = {}): LegReport => ({
  executionHostId,
  outcome: 'results',
  durationMs: 6,
  ...overrides,
})
const results = (hostsOfHits: readonly string[], hosts?: readonly LegReport[]): SearchResults => ({
  kind: 'results',
  hits: hostsOfHits.map((executionHostId) => ({
    executionHostId,
    agent: 'claude',
    sessionId: 's',
    title: 't',
    cwd: null,
    branch: null,
    updatedAt: null,
    messageCount: 1,
    score: 0,
    source: { presence: 'present' },
    evidence: null,
  })),
  page: { cursor: null, hasMore: false },
  generation: 1,
  truncated: { candidates: false, snippets: 0, query: false, freshness: false },
  durationMs: 31,
  ...(hosts === undefined ? {} : { hosts: [...hosts] }),
})
const silent = leg('runtime:ci', { outcome: 'unreachable', reason: 'timeout', durationMs: 10_001 })

describe('summaryLine', () => {
  it('gives each host its hits and time, or why it did not answer', () => {
    const answer = results(
      ['local', 'local', 'ssh:devbox'],
      [leg('local'), leg('ssh:devbox', { durationMs: 31 }), silent],
    )
    expect(summaryLine(answer, 'all')).toBe(
      '3 hits · local 2 in 6 ms · ssh:devbox 1 in 31 ms · runtime:ci did not answer (timeout after 10 s)',
    )
  })

  it('counts a single host’s answer as its own', () => {
    expect(summaryLine(results(['ssh:devbox']), 'ssh:devbox')).toBe('1 hit · ssh:devbox 1 in 31 ms')
  })
})

describe('nothingFoundSentences', () => {
  it('claims nothing where no host was asked', () => {
    expect(nothingFoundSentences([], new Map())).toBe('No host was asked: host: leaves none.')
  })

  it('says it of hosts that answered completely, and of the others why not', () => {
    expect(nothingFoundSentences([leg('local'), leg('ssh:devbox'), silent], new Map())).toBe(
      'Nothing found on local and ssh:devbox. runtime:ci was not searched: timeout after 10 s.',
    )
    expect(nothingFoundSentences([leg('a'), leg('b'), leg('c')], new Map())).toBe(
      'Nothing found on a, b and c.',
    )
  })

  it('never says it of a host that is not through, or that did not answer', () => {
    expect(
      nothingFoundSentences(
        [leg('local'), silent],
        new Map([['local', 'it is still indexing (3 of 9 files)']]),
      ),
    ).toBe(
      'local has nothing so far: it is still indexing (3 of 9 files). runtime:ci was not searched: timeout after 10 s.',
    )
  })
})

describe('sayWhy', () => {
  it('has words for every outcome and reason there is', () => {
    const reasons = [...unavailableReasonSchema.options, ...unreachableReasonSchema.options]
    const said = reasons.map((reason) => sayWhy(leg('x', { outcome: 'unreachable', reason })))
    for (const outcome of legOutcomeSchema.options) said.push(sayWhy(leg('x', { outcome })))
    for (const words of said) expect(words).toMatch(/^[a-z][a-z0-9 -]+$/)
    expect(new Set(said.slice(0, reasons.length)).size).toBe(reasons.length)
  })
})

describe('a host that was not asked because it timed out before', () => {
  it('is not said to have taken its time', () => {
    const skipped = leg('x', { outcome: 'unreachable', reason: 'timeout', durationMs: 0, skipped: true })
    expect(sayWhy(skipped)).toBe('not asked after timeouts')
  })
})

describe('caveats', () => {
  it('is silent about a whole answer', () => expect(caveats(results(['local'], [leg('local')]))).toEqual([]))

  it('has a sentence for each thing left out', () => {
    const answer = results(['local'], [leg('ssh:old', { droppedHits: 2 })])
    const cut = { ...answer, truncated: { candidates: true, snippets: 3, query: true, freshness: true } }
    expect(caveats(cut)).toEqual([
      'The query is longer than 512 characters; the rest of it was not used.',
      'There are more matches than were ranked; a narrower query ranks them all.',
      'The newest messages may be missing: an index did not catch up within 5 s.',
      'ssh:old sent 2 hits that this version cannot read.',
    ])
  })
})
