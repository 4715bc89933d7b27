import { describe, expect, it } from 'vitest'
import { createIndexFixture } from './index-fixture.ts'
import { retrievalLimits } from './retrieve.ts'
import { ask, results, sessionIds } from './search-fixture.ts'

const filler = (count: number, stem = 'w') => Array.from({ length: count }, (_, n) => `${stem}${n}`).join(' ')
const tool = (text: string) => ({ role: 'tool' as const, text })
const assistant = (text: string) => ({ role: 'assistant' as const, text })

describe('ranking by relevance', () => {
  it('puts the words as they were asked for before the same words apart, whoever says them', () => {
    using index = createIndexFixture([
      { sessionId: 'apart', messages: [`reconnect ${filler(60)} loop ${filler(60, 'v')} gateway`] },
      {
        sessionId: 'reversed',
        messages: [tool(`${filler(30)} the gateway loop reconnect ${filler(30, 'v')}`)],
      },
      {
        sessionId: 'phrase',
        messages: [tool(`${filler(30)} the reconnect loop gateway ${filler(30, 'v')}`)],
      },
      {
        sessionId: 'near',
        messages: [tool(`${filler(30)} the reconnect of a loop, gateway ${filler(30, 'v')}`)],
      },
    ])
    expect(sessionIds(index.db, { query: 'reconnect loop gateway' })).toEqual([
      'phrase',
      'near',
      'reversed',
      'apart',
    ])
  })

  it('puts the user before the assistant before a tool that say the same', () => {
    using index = createIndexFixture([
      { sessionId: 'tool', updatedAtMs: 3000, messages: [tool('the needle in the hay')] },
      { sessionId: 'assistant', updatedAtMs: 2000, messages: [assistant('the needle in the hay')] },
      { sessionId: 'user', updatedAtMs: 1000, messages: ['the needle in the hay'] },
    ])
    expect(sessionIds(index.db, { query: 'needle hay' })).toEqual(['user', 'assistant', 'tool'])
  })

  it('lets no session win by its length: the best message counts', () => {
    using index = createIndexFixture([
      {
        sessionId: 'long',
        updatedAtMs: 9000,
        messages: Array.from({ length: 5000 }, (_, n) =>
          n % 2 === 0
            ? `the cache of step ${n} and ${filler(40)} eviction`
            : tool(`cache eviction? ${filler(80)}`),
        ),
      },
      {
        sessionId: 'right',
        updatedAtMs: 1000,
        messages: ['why does cache eviction never run?', assistant('It is off.')],
      },
      { sessionId: 'none', messages: ['something else'] },
    ])
    const answer = results(index.db, { query: 'cache eviction' })
    expect(answer.hits.map((hit) => hit.sessionId)).toEqual(['right', 'long'])
    expect(answer.hits[0]?.evidence?.snippet).toBe('why does [[cache eviction]] never run?')
  })

  it('finds a session by its title alone, without evidence, and counts a title that matches too', () => {
    using index = createIndexFixture([
      {
        sessionId: 'message',
        title: 'Other work',
        updatedAtMs: 3000,
        messages: ['about the flux capacitor'],
      },
      {
        sessionId: 'both',
        title: 'Flux capacitor',
        updatedAtMs: 2000,
        messages: ['about the flux capacitor'],
      },
      {
        sessionId: 'title',
        title: 'Repair parseFluxCapacitor()',
        updatedAtMs: 1000,
        messages: ['please do it'],
      },
    ])
    const { hits } = results(index.db, { query: 'flux capacitor' })
    expect(hits.map((hit) => hit.sessionId)).toEqual(['both', 'message', 'title'])
    expect(hits.map((hit) => hit.evidence === null)).toEqual([false, false, true])
    const newest = results(index.db, { query: 'flux capacitor', filters: { sort: 'newest' } })
    expect(newest.hits.map((hit) => hit.sessionId)).toEqual(['message', 'both', 'title'])
  })

  it('adds a little for a title that says less than the message', () => {
    using index = createIndexFixture([
      {
        sessionId: 'plain',
        title: 'Other',
        updatedAtMs: 3000,
        messages: ['the flux capacitor is broken'],
      },
      {
        sessionId: 'titled',
        title: 'A long day with one capacitor',
        updatedAtMs: 1000,
        messages: ['the flux capacitor is broken'],
      },
    ])
    expect(sessionIds(index.db, { query: 'flux capacitor broken' })).toEqual(['titled', 'plain'])
  })

  it('looks into no title where only what was said is searched', () => {
    using index = createIndexFixture([
      { sessionId: 'title', title: 'Flux capacitor', messages: ['please do it'] },
    ])
    expect(sessionIds(index.db, { query: 'capacitor', scope: 'conversation' })).toEqual([])
    expect(sessionIds(index.db, { query: 'capacitor role:user' })).toEqual([])
    expect(sessionIds(index.db, { query: 'capacitor' })).toEqual(['title'])
  })

  it('puts a whole identifier before its parts, and a fragment before parts that stand apart', () => {
    using index = createIndexFixture([
      { sessionId: 'parts', updatedAtMs: 3000, messages: ['get the user, then its name'] },
      { sessionId: 'inside', updatedAtMs: 2000, messages: ['call forgetUserName now'] },
      { sessionId: 'whole', updatedAtMs: 1000, messages: ['call getUserName now'] },
    ])
    expect(sessionIds(index.db, { query: 'getUserName' })[0]).toBe('whole')
    using names = createIndexFixture([
      { sessionId: 'inside', updatedAtMs: 2000, messages: ['see theUserThing now'] },
      { sessionId: 'whole', updatedAtMs: 1000, messages: ['see the user, and all of it, now'] },
    ])
    expect(sessionIds(names.db, { query: 'user' })).toEqual(['whole', 'inside'])
    using fragments = createIndexFixture([
      { sessionId: 'apart', updatedAtMs: 3000, messages: ['the response has a body'] },
      { sessionId: 'fragment', updatedAtMs: 1000, messages: ['call parseResponseBodyLater now'] },
    ])
    expect(sessionIds(fragments.db, { query: 'ResponseBody' })[0]).toBe('fragment')
  })

  it('puts what was asked for to the letter before the same words otherwise written', () => {
    using index = createIndexFixture([
      { sessionId: 'words', updatedAtMs: 3000, messages: ['it was src app ts here'] },
      { sessionId: 'path', updatedAtMs: 1000, messages: ['it was src/app.ts here'] },
    ])
    expect(sessionIds(index.db, { query: 'src/app.ts' })).toEqual(['path', 'words'])
    using sentences = createIndexFixture([
      { sessionId: 'like', updatedAtMs: 3000, messages: ['we want to see a needle in hay'] },
      { sessionId: 'same', updatedAtMs: 1000, messages: ['i have to be the needle of hay'] },
    ])
    expect(sessionIds(sentences.db, { query: 'to be the needle of hay' })).toEqual(['same', 'like'])
  })

  it('keeps a session found by its title where more sessions match than can be weighed', () => {
    const many = Array.from({ length: 20 }, (_, n) => ({
      sessionId: `s${n}`,
      updatedAtMs: 1000 + n,
      messages: ['needle'],
    }))
    using index = createIndexFixture([
      { sessionId: 'titled', title: 'A needle', updatedAtMs: 1, messages: ['hay'] },
      ...many,
    ])
    const limits = { ...retrievalLimits, readRows: 10, weighedSessions: 3 }
    for (const listedRows of [10, 1000]) {
      const answer = ask(index.db, { query: 'needle' }, { limits: { ...limits, listedRows } })
      if (answer.kind !== 'results') throw new Error(answer.kind)
      expect(answer.hits.map((hit) => hit.sessionId).sort()).toEqual(['s18', 's19', 'titled'])
      expect(answer.truncated.candidates).toBe(true)
    }
  })

  it('breaks ties, and nothing else, by recency', () => {
    using index = createIndexFixture([
      { sessionId: 'old', updatedAtMs: 1000, messages: ['the needle'] },
      { sessionId: 'new', updatedAtMs: 3000, messages: ['the needle'] },
      { sessionId: 'none', updatedAtMs: null, messages: ['the needle'] },
      { sessionId: 'weak', updatedAtMs: 9000, messages: [tool(`${filler(200)} needle`)] },
      { sessionId: 'same', updatedAtMs: 3000, messages: ['the needle'] },
    ])
    expect(sessionIds(index.db, { query: 'needle' })).toEqual(['new', 'same', 'old', 'none', 'weak'])
  })

  it('answers a question of many words by the message that holds most of them, not by a session that holds all somewhere', () => {
    const words = 'gateway reconnect backoff jitter weekend'.split(' ')
    using index = createIndexFixture([
      {
        sessionId: 'everywhere',
        updatedAtMs: 9000,
        messages: words.map((word) => `${filler(50)} ${word} ${filler(50, 'v')}`),
      },
      { sessionId: 'right', messages: ['the gateway must reconnect with jitter in its backoff'] },
    ])
    const query = 'where was the gateway reconnect backoff with its jitter that weekend?'
    expect(sessionIds(index.db, { query })).toEqual(['right', 'everywhere'])
  })

  it('finds the rare word of a question whose other words are everywhere, in the oldest session', () => {
    const common = Array.from({ length: 60 }, (_, n) => ({
      sessionId: `common-${n}`,
      updatedAtMs: 10_000 + n,
      messages: ['build failed', 'test failed'],
    }))
    using index = createIndexFixture([
      { sessionId: 'rare', updatedAtMs: 1, messages: ['quokka failed'] },
      ...common,
    ])
    const limits = { ...retrievalLimits, listedRows: 50, newestSessions: 5 }
    const answer = ask(index.db, { query: 'quokka failed strangely', limit: 1 }, { limits })
    expect(answer).toMatchObject({ hits: [{ sessionId: 'rare' }] })
  })

  it('finds where the common words of a question meet, in the oldest session, for all its rare ones', () => {
    const common = Array.from({ length: 60 }, (_, n) => ({
      sessionId: `common-${n}`,
      updatedAtMs: 10_000 + n,
      messages: ['build', 'server', 'failed', 'cache'],
    }))
    using index = createIndexFixture([
      { sessionId: 'right', updatedAtMs: 1, messages: ['the build of the server failed'] },
      { sessionId: 'rare', updatedAtMs: 2, messages: ['weirdly'] },
      ...common,
    ])
    const limits = { ...retrievalLimits, listedRows: 20, newestSessions: 5 }
    for (const query of [
      'why was it weirdly that the build on the server failed',
      'why was it that nowhere the build on the server failed',
      'why was it that the cache of the build on the server failed',
    ]) {
      const answer = ask(index.db, { query, limit: 1 }, { limits })
      expect([query, answer]).toMatchObject([query, { hits: [{ sessionId: 'right' }] }])
    }
  })

  it('reads the rows where two common words stand side by side, wherever in a long session', () => {
    const apart = Array.from({ length: 400 }, (_, n) => `value ${filler(3)} returned ${n}`)
    apart[317] = 'value returned at last'
    using index = createIndexFixture([{ sessionId: 'long', messages: apart }])
    const limits = { ...retrievalLimits, readRows: 40 }
    const answer = ask(index.db, { query: 'value returned' }, { limits })
    expect(answer).toMatchObject({ hits: [{ evidence: { snippet: '[[value returned]] at last' } }] })
  })
})
