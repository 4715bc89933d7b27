/** The operators of the search box, asked of a real index. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { operatorNames } from '../../protocol/session-search/query-syntax.ts'
import type { SearchRequestInput } from '../../protocol/session-search/request.ts'
import { createIndexFixture, type FixtureSession } from './index-fixture.ts'
import { ask, results, sessionIds } from './search-fixture.ts'

/** Noon. */
const nowMs = Date.UTC(2026, 10, 30, 12)
const hourMs = 3_600_000
const clock = { now: () => nowMs, monotonicMs: () => 0, after: () => () => {} }

/** Both orders, each query: what narrows must not hang on how hits are ordered. */
function finder(sessions: readonly FixtureSession[], platform: NodeJS.Platform = 'linux') {
  const index = createIndexFixture(sessions)
  const idsOf = (request: SearchRequestInput) => {
    const answer = ask(index.db, request, { clock, platform })
    if (answer.kind !== 'results') throw new Error(answer.kind)
    return answer.hits.map((hit) => hit.sessionId).sort()
  }
  return {
    [Symbol.dispose]: () => index[Symbol.dispose](),
    find: (query: string, rest: Partial<SearchRequestInput> = {}) => {
      const byNewest = idsOf({ query, ...rest, filters: { ...rest.filters, sort: 'newest' } })
      expect(idsOf({ query, ...rest })).toEqual(byNewest)
      return byNewest
    },
  }
}

describe('agent:', () => {
  it('names one agent or any of several, leaves others out, and meets the filter', () => {
    using index = finder([
      { sessionId: 'a', agent: 'claude', messages: ['needle'] },
      { sessionId: 'b', agent: 'codex', messages: ['needle'] },
      { sessionId: 'c', agent: 'pi', messages: ['thread'] },
    ])
    expect(index.find('needle agent:codex')).toEqual(['b'])
    expect(index.find('agent:CODEX agent:pi')).toEqual(['b', 'c'])
    expect(index.find('-agent:codex')).toEqual(['a', 'c'])
    expect(index.find('needle -agent:codex -agent:pi')).toEqual(['a'])
    expect(index.find('needle agent:codex', { filters: { agents: ['claude'] } })).toEqual([])
    expect(index.find('agent:nobody')).toEqual([])
  })
})

describe('repo:, path: and branch:', () => {
  const sessions = [
    { sessionId: 'app', cwd: '/work/app', branch: 'feature/Login-retry', messages: ['needle'] },
    { sessionId: 'sub', cwd: '/work/app/src/deep', branch: 'main', messages: ['needle'] },
    { sessionId: 'other', cwd: '/work/app-other', branch: null, messages: ['needle'] },
    { sessionId: 'spaced', cwd: '/home/mé/My Files/x', messages: ['needle'] },
    { sessionId: 'nowhere', cwd: null, filePath: '/logs/nowhere.jsonl', messages: ['needle'] },
  ]

  it('finds a folder and what lies below by an absolute path, and never a folder that only begins so', () => {
    using index = finder(sessions)
    expect(index.find('needle path:/work/app')).toEqual(['app', 'sub'])
    expect(index.find('path:/work/app/')).toEqual(['app', 'sub'])
    expect(index.find('path:"/home/mé/My Files"')).toEqual(['spaced'])
    expect(index.find("path:'/home/me\u0301/My Files/x'")).toEqual(['spaced'])
    expect(index.find('path:/')).toHaveLength(4)
  })

  it('finds a part of a path by any other value, either slash for the other', () => {
    using index = finder(sessions)
    expect(index.find('path:app')).toEqual(['app', 'other', 'sub'])
    expect(index.find('path:SRC/deep')).toEqual(['sub'])
    expect(index.find('path:src\\deep')).toEqual(['sub'])
    expect(index.find('path:~/app-other')).toEqual(['other'])
  })

  it('never tells by what it finds where a transcript lies', () => {
    using index = finder(sessions)
    for (const query of ['path:nowhere.jsonl', 'path:/logs', 'repo:logs'])
      expect(index.find(query)).toEqual([])
    expect(index.find('-path:logs needle')).toHaveLength(5)
  })

  it('takes any of several values, all of several operators, and leaves out what has a minus', () => {
    using index = finder(sessions)
    expect(index.find('path:deep path:spaced path:"my files"')).toEqual(['spaced', 'sub'])
    expect(index.find('path:/work -path:src')).toEqual(['app', 'other'])
    expect(index.find('repo:work/app -repo:other')).toEqual(['app'])
    expect(index.find('repo:src/deep branch:main')).toEqual(['sub'])
    expect(index.find('branch:login')).toEqual(['app'])
    expect(index.find('branch:login branch:MAIN')).toEqual(['app', 'sub'])
    expect(index.find('-branch:main path:/work')).toEqual(['app', 'other'])
    expect(index.find('branch:login path:src')).toEqual([])
  })

  it('compares Windows and WSL folders by their own rules on any machine', () => {
    for (const platform of ['linux', 'win32', 'darwin'] as const) {
      using index = finder(
        [
          { sessionId: 'win', cwd: 'C:\\Users\\Me\\App', messages: ['needle'] },
          { sessionId: 'other', cwd: 'C:\\Users\\Me\\App-other', messages: ['needle'] },
          { sessionId: 'wsl', cwd: '\\\\wsl$\\Ubuntu\\home\\me', messages: ['needle'] },
        ],
        platform,
      )
      for (const spelling of ['c:/users/me/app', 'C:\\Users\\ME\\APP\\', '\\\\?\\C:\\Users\\Me\\App'])
        expect([spelling, index.find(`path:"${spelling}"`)]).toEqual([spelling, ['win']])
      expect(index.find('path:\\\\wsl.localhost\\ubuntu\\home')).toEqual(['wsl'])
      expect(index.find('needle', { filters: { scopePaths: ['c:/USERS/me/app'] } })).toEqual(['win'])
      expect(index.find('needle', { filters: { scopePaths: ['app', 'c:app'] } })).toEqual([])
    }
  })
})

describe('role:', () => {
  const sessions = [
    { sessionId: 'u', messages: ['needle asked', { role: 'tool' as const, text: 'needle printed' }] },
    { sessionId: 't', messages: ['asked', { role: 'tool' as const, text: 'needle needle needle' }] },
    { sessionId: 'a', messages: [{ role: 'assistant' as const, text: 'needle said' }] },
  ]

  it('says whose messages match, in what is found and in what is shown', () => {
    using index = finder(sessions)
    expect(index.find('needle role:user')).toEqual(['u'])
    expect(index.find('needle role:Tool')).toEqual(['t', 'u'])
    expect(index.find('needle role:user role:assistant')).toEqual(['a', 'u'])
    expect(index.find('needle -role:tool')).toEqual(['a', 'u'])
    using shown = createIndexFixture(sessions)
    for (const sort of ['relevance', 'newest'] as const) {
      const { hits } = results(shown.db, { query: 'needle role:tool', filters: { sort } })
      expect(hits.map((hit) => hit.evidence?.role)).toEqual(['tool', 'tool'])
    }
  })

  it('meets the scope: a role outside of it matches nothing', () => {
    using index = finder(sessions)
    expect(index.find('needle role:tool', { scope: 'conversation' })).toEqual([])
    expect(index.find('needle role:user role:tool', { scope: 'conversation' })).toEqual(['u'])
    expect(index.find('needel role:user -role:user')).toEqual([])
  })

  it('finds by itself the sessions that have such a message', () => {
    using index = finder(sessions)
    expect(index.find('role:tool')).toEqual(['t', 'u'])
    expect(index.find('role:assistant')).toEqual(['a'])
    expect(index.find('-role:user -role:assistant')).toEqual(['t', 'u'])
    expect(index.find('role:user -role:user')).toEqual([])
  })
})

describe('before: and after:', () => {
  const at = (ms: number | null, sessionId: string) => ({ sessionId, updatedAtMs: ms, messages: ['needle'] })
  const day = Date.UTC(2026, 10, 3)
  const sessions = [
    at(day - 1, 'eve'),
    at(day, 'midnight'),
    at(day + 24 * hourMs - 1, 'late'),
    at(nowMs - hourMs, 'fresh'),
    at(null, 'timeless'),
  ]

  it('compares instants: a day is all of it, whatever the offset it is written with', () => {
    using index = finder(sessions)
    expect(index.find('needle after:2026-11-03 before:2026-11-04')).toEqual(['late', 'midnight'])
    expect(index.find('needle before:2026-11-03')).toEqual(['eve'])
    expect(index.find('before:2026-11-03T01:00+01:00')).toEqual(['eve'])
    expect(index.find('before:2026-11-03T00:00:00.001Z')).toEqual(['eve', 'midnight'])
    expect(index.find('after:2026-11-02T19:00-05:00 before:2026-11-04')).toEqual(['late', 'midnight'])
    expect(index.find('after:2026-11-03T00:00:00.001Z before:7d')).toEqual(['late'])
  })

  it('counts back from now', () => {
    using index = finder(sessions)
    expect(index.find('after:2h')).toEqual(['fresh'])
    expect(index.find('after:today')).toEqual(['fresh'])
    expect(index.find('before:yesterday needle')).toEqual(['eve', 'late', 'midnight'])
    expect(index.find('after:30m')).toEqual([])
  })

  it('takes any of several, and what has no time only where a time is left out', () => {
    using index = finder(sessions)
    expect(index.find('before:2026-11-03 before:2026-11-04')).toEqual(['eve', 'late', 'midnight'])
    expect(index.find('-after:2026-11-03')).toEqual(['eve', 'timeless'])
    expect(index.find('-before:2026-11-04')).toEqual(['fresh', 'timeless'])
    expect(index.find('after:1970')).not.toContain('timeless')
  })

  it('takes what is no date for words', () => {
    using index = finder([
      { sessionId: 'words', updatedAtMs: null, messages: ['a needle before soon'] },
      { sessionId: 'not', updatedAtMs: null, messages: ['a needle'] },
    ])
    expect(index.find('needle before:soon')).toEqual(['words'])
  })
})

describe('a minus, quotes and a star', () => {
  const sessions = [
    { sessionId: 'draft', messages: ['needle', { role: 'tool' as const, text: 'a Draft of it' }] },
    { sessionId: 'final', messages: ['needle', 'the final cut'] },
    { sessionId: 'titled', title: 'Draft plan', messages: ['needle'] },
    { sessionId: 'word', messages: ['needless reconnection'] },
  ]

  it('leaves out the sessions that hold the word in any message or the title, whatever the scope', () => {
    using index = finder(sessions)
    expect(index.find('needle')).toEqual(['draft', 'final', 'titled'])
    expect(index.find('needle -draft')).toEqual(['final'])
    expect(index.find('needle -draft', { scope: 'conversation' })).toEqual(['final'])
    expect(index.find('needle -"final cut" -"draft cut"')).toEqual(['draft', 'titled'])
    expect(index.find('needle -dra*')).toEqual(['final'])
    expect(index.find('needle -needle')).toEqual([])
  })

  it('finds by minus alone all that does not hold it, newest first and without evidence', () => {
    using index = createIndexFixture(sessions.map((session, at) => ({ ...session, updatedAtMs: at })))
    const { hits } = results(index.db, { query: '-draft' })
    expect(hits.map((hit) => [hit.sessionId, hit.evidence])).toEqual([
      ['word', null],
      ['final', null],
    ])
  })

  it('is no minus inside a word, before a digit or where it makes a flag', () => {
    using index = finder([
      { sessionId: 'x', messages: ['error -32601 from npm run --watch -m well-known'] },
      { sessionId: 'y', messages: ['error'] },
    ])
    expect(index.find('-32601')).toEqual(['x'])
    expect(index.find('error --watch')).toEqual(['x'])
    expect(index.find('error -m')).toEqual(['x'])
    expect(index.find('well-known')).toEqual(['x'])
    expect(index.find('error -"32601"')).toEqual(['y'])
  })

  it('finds words that begin so, the last of a phrase too, and marks them', () => {
    using index = finder(sessions)
    expect(index.find('need*')).toEqual(['draft', 'final', 'titled', 'word'])
    expect(index.find('recon*')).toEqual(['word'])
    expect(index.find('"final cu"*')).toEqual(['final'])
    expect(index.find('"final cu"')).toEqual([])
    using shown = createIndexFixture(sessions)
    const snippetOf = (query: string) => results(shown.db, { query }).hits[0]?.evidence?.snippet
    expect(snippetOf('recon*')).toBe('needless [[reconnection]]')
    expect(snippetOf('"needless rec"*')).toBe('[[needless reconnection]]')
  })

  it('finds a camel-case word by the beginning of its parts', () => {
    using index = finder([{ sessionId: 'x', messages: ['call parseHTTPResponse'] }])
    expect(index.find('httpResp*')).toEqual(['x'])
    expect(index.find('parseHTTPRes*')).toEqual(['x'])
    expect(index.find('"parseHTTPRes"')).toEqual([])
  })
})

describe('host:', () => {
  it('narrows nothing on a host, whoever it names: the gateway has chosen', () => {
    using index = finder([
      { sessionId: 'a', messages: ['needle'] },
      { sessionId: 'b', messages: ['thread'] },
    ])
    expect(index.find('needle host:ssh:elsewhere -host:local')).toEqual(['a'])
    expect(index.find('host:anywhere')).toEqual(['a', 'b'])
  })
})

describe('any operators', () => {
  it('[request.query] have an answer, whatever is written around them', () => {
    using index = createIndexFixture([
      { sessionId: 'a', branch: 'main', messages: ['foo bar', { role: 'tool', text: 'fooBar 登录 ✅' }] },
    ])
    const value = fc.constantFrom(
      '',
      '"',
      '"a b"',
      "'x'",
      'user',
      'tool',
      '7d',
      '2026-02-31',
      '/',
      'C:\\',
      '登',
      '*',
      '\ud800',
    )
    const operator = fc
      .tuple(fc.constantFrom('', '-', '--'), fc.constantFrom(...operatorNames, 'lang', 'OR'), value)
      .map(([minus, name, given]) => `${minus}${name}:${given}`)
    const word = fc.constantFrom(
      'foo',
      '-bar',
      'ba*',
      '"foo b"*',
      '-"',
      '-✅',
      'foo* bar.x',
      'getFoo*',
      'NOT',
      '^',
      '-',
      '*',
    )
    const piece = fc.oneof(operator, word, fc.string({ unit: 'binary', maxLength: 6 }))
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 20 }),
        fc.constantFrom(' ', ''),
        fc.constantFrom('relevance', 'newest'),
        fc.constantFrom('all', 'conversation'),
        (pieces, between, sort, scope) => {
          const query = pieces.join(between)
          const answer = ask(index.db, { query, scope, debug: true, filters: { sort } }, { clock })
          expect(answer.kind).toBe('results')
        },
      ),
      { numRuns: 250 },
    )
  }, 30_000)

  it('pages a walk by operators alone to its end, each session once', () => {
    using index = createIndexFixture(
      Array.from({ length: 7 }, (_, at) => ({ sessionId: `s${at}`, updatedAtMs: at, messages: ['x'] })),
    )
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page = results(index.db, {
        query: '-draft agent:claude role:user',
        limit: 3,
        ...(cursor === null ? {} : { cursor }),
      })
      seen.push(...page.hits.map((hit) => hit.sessionId))
      cursor = page.page.cursor
    } while (cursor !== null)
    expect(seen).toEqual(['s6', 's5', 's4', 's3', 's2', 's1', 's0'])
    expect(sessionIds(index.db, { query: '-"x"' })).toEqual([])
  })
})
