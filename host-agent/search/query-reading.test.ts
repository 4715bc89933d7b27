import { describe, expect, it } from 'vitest'
import { searchResponseSchema } from '../../protocol/session-search/response.ts'
import { createIndexFixture } from './index-fixture.ts'
import { ask } from './search-fixture.ts'

const clock = { now: () => Date.UTC(2026, 10, 30, 12), monotonicMs: () => 0, after: () => () => {} }

describe('describeReading', () => {
  const sessions = [
    {
      sessionId: 'a',
      cwd: '/work/secret-place/app',
      filePath: '/home/hidden/logs/a.jsonl',
      messages: ['the reconnect loop', 'src/app.ts zebra', 'giraffe'],
    },
  ]
  function readingOf(query: string, sort: 'relevance' | 'newest' = 'relevance') {
    using index = createIndexFixture(sessions)
    const request = { query, debug: true, filters: { sort } }
    const answer = searchResponseSchema.parse(ask(index.db, request, { clock }))
    if (answer.kind !== 'results' || answer.debug?.reading === undefined) throw new Error('no reading')
    return answer.debug.reading
  }

  it('tells words, phrases, beginnings, common words and what is left out apart', () => {
    expect(readingOf('the loop "reconnect loop" src/app.ts zeb* -draft -"not this" -dra*')).toMatchObject({
      words: ['the', 'loop', 'src/app.ts'],
      phrases: ['reconnect loop'],
      prefixes: ['zeb'],
      common: ['the'],
      without: ['draft', 'not this', 'dra*'],
      literal: true,
      asText: [],
      repairs: [],
    })
  })

  it('says what each operator came to, instants as ISO text', () => {
    expect(
      readingOf(
        'agent:Claude -repo:x path:/work/Secret-Place/ path:app branch:main -role:tool before:yesterday after:7d host:ci zebra',
      ).operators,
    ).toEqual([
      { name: 'agent', value: 'Claude', negative: false, means: 'sessions of claude' },
      { name: 'repo', value: 'x', negative: true, means: 'folders whose last two parts do not hold "x"' },
      {
        name: 'path',
        value: '/work/Secret-Place/',
        negative: false,
        means: 'the folder /work/Secret-Place and what lies below',
      },
      {
        name: 'path',
        value: 'app',
        negative: false,
        means: 'folders or transcripts whose path does hold "app"',
      },
      { name: 'branch', value: 'main', negative: false, means: 'branches that do hold "main"' },
      { name: 'role', value: 'tool', negative: true, means: 'messages not of role tool' },
      {
        name: 'before',
        value: 'yesterday',
        negative: false,
        means: 'touched before 2026-11-29T00:00:00.000Z',
      },
      { name: 'after', value: '7d', negative: false, means: 'touched at or after 2026-11-23T12:00:00.000Z' },
      {
        name: 'host',
        value: 'ci',
        negative: false,
        means: 'nothing here: which hosts are asked is decided at the gateway',
      },
    ])
  })

  it('says what was taken as text, and why', () => {
    const { asText, words, operators } = readingOf(
      'before:soon role:boss lang:ts --watch -1 bad path: x *** b* agent:',
    )
    expect(operators).toEqual([])
    expect(words).toEqual(['before:soon', 'role:boss', 'lang:ts', '--watch', '-1', 'bad', 'path:', 'x', 'b'])
    expect(Object.fromEntries(asText.map(({ text, because }) => [text, because]))).toEqual({
      'before:soon': 'the operator takes no such value, so it is text',
      'role:boss': 'the operator takes no such value, so it is text',
      'lang:ts': 'there is no such operator, so it is text',
      '--watch': expect.stringMatching('flag'),
      '-1': expect.stringMatching('number'),
      'path:': expect.stringMatching('right after the colon'),
      'b*': expect.stringMatching('at least two letters'),
      '***': expect.stringMatching('no word'),
      'agent:': expect.stringMatching('no value yet'),
    })
  })

  it.each([
    ['src/app.ts', 'phrase'],
    ['loop reconnect', 'and'],
    ['zebra giraffe', 'session'],
    ['zebra nothing-of-it', 'or'],
    ['agent:claude', 'operators'],
    ['-draft', 'operators'],
    ['nothing', 'none'],
    ['agent:codex zebra', 'none'],
    ['', 'none'],
  ])('says which tier answered: %j by %s', (query, tier) =>
    expect(readingOf(query, 'newest').tier).toBe(tier),
  )

  it('names each repaired word', () => {
    expect(readingOf('reconect zebra')).toMatchObject({
      repairs: [{ from: 'reconect', to: 'reconnect' }],
      words: ['reconect', 'zebra'],
    })
  })

  it('[exposure.relay] holds no path but what the query wrote', () => {
    for (const query of ['path:app zebra', 'repo:app', 'path:logs', 'path:/ agent:claude', 'zebra'])
      expect(JSON.stringify(readingOf(query))).not.toMatch(/hidden|secret-place|jsonl/)
  })
})
