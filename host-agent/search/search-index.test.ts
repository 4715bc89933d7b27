import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { searchResponseSchema } from '../../protocol/session-search/response.ts'
import { createIndexFixture } from './index-fixture.ts'
import { retrievalLimits } from './retrieve.ts'
import { ask, results, sessionIds } from './search-fixture.ts'

const route = (db: Parameters<typeof ask>[0], query: string) =>
  results(db, { query, debug: true }).debug?.route

describe('searchIndex', () => {
  it('[response.results-shape][response.snippets-count][response.no-status] answers with the whole shape and nothing more', () => {
    using index = createIndexFixture([{ sessionId: 'a', messages: ['needle'] }])
    const answer = results(index.db, { query: 'needle' })
    expect(Object.keys(answer).sort()).toEqual([
      'durationMs',
      'generation',
      'hits',
      'kind',
      'page',
      'truncated',
    ])
    expect(answer.truncated).toEqual({ candidates: false, snippets: 0, query: false, freshness: false })
    expect(answer.page).toMatchObject({ cursor: null, hasMore: false })
    expect(answer.generation).toBe(1)
    expect(searchResponseSchema.parse(answer)).toEqual(answer)
  })

  it('[evidence.hit-fields][evidence.evidence] gives a hit all its facts', () => {
    using index = createIndexFixture([
      {
        sessionId: 's1',
        agent: 'codex',
        title: 'A title',
        cwd: '/work/x',
        branch: 'main',
        updatedAtMs: Date.UTC(2026, 0, 2),
        messageCount: 9,
        resumeCommand: 'codex resume s1',
        codexHome: '/home/me/.codex2',
        filePath: '/t/s1.jsonl',
        messages: [{ role: 'assistant', text: 'the needle', timestampMs: Date.UTC(2026, 0, 1) }],
      },
    ])
    const [hit] = results(index.db, { query: 'needle' }).hits
    expect(hit).toMatchObject({
      agent: 'codex',
      sessionId: 's1',
      title: 'A title',
      cwd: '/work/x',
      branch: 'main',
      updatedAt: '2026-01-02T00:00:00.000Z',
      messageCount: 9,
      source: { presence: 'present', filePath: '/t/s1.jsonl', codexHome: '/home/me/.codex2' },
      evidence: { snippet: 'the [[needle]]', role: 'assistant', timestamp: '2026-01-01T00:00:00.000Z' },
      resumeCommand: 'codex resume s1',
    })
    expect(Number.isFinite(hit?.score)).toBe(true)
  })

  it('[evidence.presence][exposure.resume-stored] is sure of a source only with a file that was read, and gives no command without', () => {
    const session = { messages: ['needle'], resumeCommand: 'claude --resume x' }
    using index = createIndexFixture([
      { ...session, sessionId: 'current' },
      { ...session, sessionId: 'due', fileState: 'due' },
      { ...session, sessionId: 'failed', fileState: 'failed' },
      { ...session, sessionId: 'gone', fileState: null },
      { ...session, sessionId: 'none', resumeCommand: null },
    ])
    const { hits } = results(index.db, { query: 'needle' })
    const seen = Object.fromEntries(
      hits.map((hit) => [hit.sessionId, [hit.source.presence, hit.resumeCommand]]),
    )
    expect(seen).toEqual({
      current: ['present', 'claude --resume x'],
      due: ['present', 'claude --resume x'],
      failed: ['unverifiable', undefined],
      gone: ['unverifiable', undefined],
      none: ['present', undefined],
    })
    expect('resumeCommand' in (hits.find((hit) => hit.sessionId === 'gone') ?? {})).toBe(false)
  })

  it('[exposure.codex-home-omitted] leaves out a Codex home that is not known', () => {
    using index = createIndexFixture([{ sessionId: 'a', messages: ['needle'] }])
    expect(results(index.db, { query: 'needle' }).hits[0]?.source).toEqual({
      presence: 'present',
      filePath: '/home/me/.claude/a.jsonl',
    })
  })

  it('[request.scope] searches user and assistant text in conversation scope, and shows no tool text there', () => {
    using index = createIndexFixture([
      { sessionId: 'tool', messages: [{ role: 'tool', text: 'needle and thread' }] },
      {
        sessionId: 'split',
        messages: [
          'needle',
          { role: 'tool', text: 'needle thread needle' },
          { role: 'assistant', text: 'thread' },
        ],
      },
      { sessionId: 'camel', messages: ['openNeedleBox'] },
    ])
    expect(sessionIds(index.db, { query: 'needle' }).sort()).toEqual(['camel', 'split', 'tool'])
    for (const sort of ['relevance', 'newest'] as const) {
      const { hits } = results(index.db, { query: 'needle thread', scope: 'conversation', filters: { sort } })
      expect(hits.map((hit) => [hit.sessionId, hit.evidence?.role])).toEqual([
        ['split', expect.stringMatching(/user|assistant/)],
      ])
      expect(sessionIds(index.db, { query: 'needle', scope: 'conversation', filters: { sort } })).toEqual([
        'split',
      ])
    }
  })

  it('climbs phrase, and, session, typo, or', () => {
    using index = createIndexFixture([
      { sessionId: 'phrase', messages: ['calls foo.bar twice'] },
      { sessionId: 'and', messages: ['bar before foo', 'reconnect the loop'] },
      { sessionId: 'session', messages: ['zebra', 'giraffe'] },
    ])
    expect([route(index.db, 'foo.bar'), sessionIds(index.db, { query: 'foo.bar' })]).toEqual([
      'phrase',
      ['phrase'],
    ])
    expect([route(index.db, 'loop reconnect'), sessionIds(index.db, { query: 'loop reconnect' })]).toEqual([
      'and',
      ['and'],
    ])
    expect([route(index.db, 'zebra giraffe'), sessionIds(index.db, { query: 'zebra giraffe' })]).toEqual([
      'and',
      ['session'],
    ])
    expect([route(index.db, 'reconect loop'), sessionIds(index.db, { query: 'reconect loop' })]).toEqual([
      'typo+and',
      ['and'],
    ])
    expect([route(index.db, 'zebra loop'), sessionIds(index.db, { query: 'zebra loop' }).sort()]).toEqual([
      'or',
      ['and', 'session'],
    ])
    expect(route(index.db, 'zebbra loop')).toBe('typo+or')
    expect(route(index.db, 'foo.barr')).toBe('typo+phrase')
  })

  it('[response.debug-on][response.debug-off] reports the route only when asked', () => {
    using index = createIndexFixture([{ sessionId: 'a', messages: ['reconnect the loop'] }])
    const debugOf = (query: string, scope: 'conversation' | 'all') => {
      const { reading: _additive, ...debug } = results(index.db, { query, scope, debug: true }).debug ?? {}
      return debug
    }
    expect(debugOf('reconect loop', 'conversation')).toEqual({
      route: 'typo+and',
      repairedTerms: ['reconnect', 'loop'],
      plannerReport: { route: 'typo+and', repairedTerms: ['reconnect', 'loop'], scope: 'conversation' },
    })
    expect(debugOf('loop', 'all')).toEqual({
      route: 'and',
      plannerReport: { route: 'and', scope: 'all' },
    })
    for (const debug of [false, undefined])
      expect('debug' in results(index.db, { query: 'loop', ...(debug === undefined ? {} : { debug }) })).toBe(
        false,
      )
  })

  it('lets a rung hit only where rows pass the filters', () => {
    using index = createIndexFixture([
      { sessionId: 'elsewhere', cwd: '/work/b', messages: ['foo.bar'] },
      { sessionId: 'here', cwd: '/work/a', messages: ['bar and foo'] },
    ])
    expect(sessionIds(index.db, { query: 'foo.bar', filters: { scopePaths: ['/work/a'] } })).toEqual(['here'])
  })

  it('[request.filters][request.paths-of-host] filters by agent, folder and instant before the limit', () => {
    const at = (hour: number) => Date.UTC(2026, 0, 1, hour)
    using index = createIndexFixture([
      { sessionId: 'app', cwd: '/work/app', updatedAtMs: at(10), messages: ['needle'] },
      { sessionId: 'sub', cwd: '/work/app/src', updatedAtMs: at(11), messages: ['needle'] },
      { sessionId: 'other', cwd: '/work/app-other', updatedAtMs: at(12), messages: ['needle'] },
      { sessionId: 'upper', cwd: '/Work/app', updatedAtMs: at(13), messages: ['needle'] },
      { sessionId: 'codex', agent: 'codex', cwd: null, updatedAtMs: null, messages: ['needle'] },
    ])
    for (const sort of ['relevance', 'newest'] as const) {
      const found = (filters: object, limit = 20) =>
        sessionIds(index.db, { query: 'needle', limit, filters: { sort, ...filters } }).sort()
      expect(found({ scopePaths: ['/work/app/'] })).toEqual(['app', 'sub'])
      expect(found({ scopePaths: ['/work//app/src', '/nowhere'] })).toEqual(['sub'])
      expect(found({ scopePaths: ['/'] })).toEqual(['app', 'other', 'sub', 'upper'])
      expect(found({ scopePaths: ['relative', '~/x'] })).toEqual([])
      expect(found({ agents: ['codex'] }, 1)).toEqual(['codex'])
      expect(found({ agents: ['nobody'] })).toEqual([])
      expect(found({ since: '2026-01-01T12:30:00+01:00' })).toEqual(['other', 'upper'])
      expect(found({ since: '2026-01-01T12:00:00Z' })).toEqual(['other', 'upper'])
    }
  })

  it('[evidence.evidence] finds sessions by operators alone, newest first and without evidence', () => {
    using index = createIndexFixture([
      { sessionId: 'old', cwd: '/home/me/Org/Trawl', updatedAtMs: 1000, messages: ['x'] },
      { sessionId: 'new', cwd: '/srv/org/trawl-site', updatedAtMs: 2000, messages: ['needle'] },
      {
        sessionId: 'deep',
        cwd: '/trawl/a/b',
        updatedAtMs: 3000,
        filePath: '/t/deep.jsonl',
        messages: ['needle'],
      },
    ])
    const { hits } = results(index.db, { query: 'repo:TRAWL' })
    expect(hits.map((hit) => [hit.sessionId, hit.evidence])).toEqual([
      ['new', null],
      ['old', null],
    ])
    expect(sessionIds(index.db, { query: 'repo:org/trawl' })).toEqual(['new', 'old'])
    expect(sessionIds(index.db, { query: 'path:trawl/A' })).toEqual(['deep'])
    expect(sessionIds(index.db, { query: 'needle path:trawl' }).sort()).toEqual(['deep', 'new'])
    expect(sessionIds(index.db, { query: 'repo:nowhere' })).toEqual([])
  })

  it('[request.query] finds nothing for an empty query, and for one without words', () => {
    using index = createIndexFixture([{ sessionId: 'a', messages: ['AND near text'] }])
    for (const query of ['', '   ', '"', '***', '()', '\ud800', 'repo:']) {
      expect(results(index.db, { query })).toMatchObject({ hits: [], page: { hasMore: false, cursor: null } })
    }
    expect(sessionIds(index.db, { query: 'AND' })).toEqual(['a'])
    expect(sessionIds(index.db, { query: 'NEAR(' })).toEqual(['a'])
  })

  it('[request.query] tells that a long query was cut', () => {
    using index = createIndexFixture([{ sessionId: 'a', messages: ['needle'] }])
    const answer = results(index.db, { query: `needle ${'x'.repeat(10_000)}` })
    expect(answer.truncated.query).toBe(true)
    expect(answer.hits.map((hit) => hit.sessionId)).toEqual(['a'])
  })

  it('[request.query] takes any text for a query', () => {
    using index = createIndexFixture([
      { sessionId: 'a', messages: ['AND or NOT near foo bar', { role: 'tool', text: 'fooBar 登录' }] },
    ])
    const syntax = fc.constantFrom(
      '"',
      "'",
      '*',
      '^',
      'NEAR(',
      'AND',
      'OR',
      'NOT',
      '(',
      ')',
      '{a b}:',
      ':',
      '-',
      '+',
      'user_text:',
      ',',
      '\\',
      '\0',
      '\ud800',
      '登录',
      ' ',
      'foo',
      'path:',
      'repo:"',
    )
    fc.assert(
      fc.property(
        fc.array(fc.oneof(syntax, fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 80 }),
        fc.constantFrom('relevance', 'newest'),
        fc.constantFrom('all', 'conversation'),
        (parts, sort, scope) => {
          expect(ask(index.db, { query: parts.join(''), scope, filters: { sort } }).kind).toBe('results')
        },
      ),
      { numRuns: 300 },
    )
  })

  it('finds CJK text by any part, identifiers by their parts, and names in any spelling', () => {
    using index = createIndexFixture([
      { sessionId: 'cjk', messages: ['昨天修复了登录错误'] },
      { sessionId: 'camel', messages: ['parseHTTPResponse threw'] },
      { sessionId: 'snake', messages: ['call get_user_name.'] },
      { sessionId: 'accent', messages: ['Größe naïve café'] },
      { sessionId: 'id', messages: ['ticket bd-q3fy is done'] },
    ])
    const cases = {
      录: 'cjk',
      复了登: 'cjk',
      'http response': 'camel',
      parsehttpresponse: 'camel',
      getUserName: 'snake',
      naive: 'accent',
      'cafe\u0301': 'accent',
      'bd-q3fy': 'id',
      'done.': 'id',
    }
    for (const [query, id] of Object.entries(cases))
      expect([query, sessionIds(index.db, { query })]).toEqual([query, [id]])
    expect(results(index.db, { query: 'http response' }).hits[0]?.evidence?.snippet).toBe(
      '[[parseHTTPResponse]] threw',
    )
  })

  it('shows in a newest page the row with most of the query, the user before others', () => {
    using index = createIndexFixture([
      { sessionId: 'a', messages: [{ role: 'tool', text: 'zebra in a tool' }, 'zebra asked', 'zebra again'] },
      { sessionId: 'b', messages: ['zebra', 'yak zebra'] },
      { sessionId: 'c', messages: ['yak'] },
    ])
    const evidence = results(index.db, { query: 'zebra nothing-here', filters: { sort: 'newest' } }).hits.map(
      (hit) => hit.evidence?.snippet,
    )
    expect(evidence).toEqual(['[[zebra]] asked', '[[zebra]]'])
    const both = results(index.db, { query: 'zebra yak nothing-here', filters: { sort: 'newest' } }).hits.map(
      (hit) => hit.evidence?.snippet,
    )
    expect(both).toEqual(['[[zebra]] asked', '[[yak zebra]]', '[[yak]]'])
  })

  it('prefers what people said to what tools printed', () => {
    using index = createIndexFixture([
      { sessionId: 'tool', messages: [{ role: 'tool', text: 'the needle' }] },
      { sessionId: 'assistant', messages: [{ role: 'assistant', text: 'the needle' }] },
      { sessionId: 'user', messages: ['the needle'] },
      {
        sessionId: 'noise',
        messages: ['something', 'else', 'and', 'more', 'rows', 'so', 'that', 'words', 'are', 'rare'],
      },
    ])
    expect(sessionIds(index.db, { query: 'needle' })).toEqual(['user', 'assistant', 'tool'])
  })

  it('[response.results-shape] counts candidates left out, keeping the newest sessions, and newest leaves none out', () => {
    const many = Array.from({ length: 2000 }, () => 'word')
    using index = createIndexFixture([
      { sessionId: 'c', updatedAtMs: 3000, messages: many },
      { sessionId: 'b', updatedAtMs: 2000, messages: many },
      { sessionId: 'd', updatedAtMs: 4000, messages: many },
      { sessionId: 'a', updatedAtMs: 1000, messages: many },
      { sessionId: 'other', agent: 'codex', updatedAtMs: 5000, messages: ['word'] },
    ])
    const limits = { ...retrievalLimits, listedRows: 1000, newestSessions: 3 }
    const found = (filters: object) => {
      const answer = ask(index.db, { query: 'word', filters }, { limits })
      if (answer.kind !== 'results') throw new Error(answer.kind)
      const ids = answer.hits.map((hit) => hit.sessionId)
      return [ids.sort().join(''), answer.truncated.candidates]
    }
    expect(found({})).toEqual(['cdother', true])
    expect(found({ agents: ['claude'] })).toEqual(['bcd', true])
    expect(found({ agents: ['codex'] })).toEqual(['other', false])
    expect(found({ sort: 'newest' })).toEqual(['abcdother', false])
  })

  it('[cursor.first-page-fence] refuses page 1 when the index changes while it is read', () => {
    using index = createIndexFixture([{ sessionId: 'a', messages: ['needle'] }])
    for (const sort of ['relevance', 'newest'] as const) {
      const generation = results(index.db, { query: 'needle' }).generation
      const moving = {
        ...index.db,
        snapshot: <T>(work: () => T) => {
          const found = index.db.snapshot(work)
          index.append(1, ['needle'])
          return found
        },
      }
      expect(ask(moving, { query: 'needle', filters: { sort } })).toEqual({
        kind: 'stale-cursor',
        generation: generation + 1,
        expectedGeneration: generation,
      })
      expect(ask(index.db, { query: 'needle', filters: { sort } }).kind).toBe('results')
    }
  })

  it('stops between steps when the time is spent or the caller has left', () => {
    using index = createIndexFixture([{ sessionId: 'a', messages: ['needle'] }])
    const code = (context: object) => {
      try {
        return ask(index.db, { query: 'needle' }, context).kind
      } catch (error) {
        return TrawlError.from(error).code
      }
    }
    expect(code({ deadlineAtMs: -1 })).toBe('timeout')
    expect(code({ signal: AbortSignal.abort() })).toBe('cancelled')
    expect(code({ deadlineAtMs: 0 })).toBe('results')
  })
})
