import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxQueryTerms, readQuery } from './query-text.ts'

const words = (query: string) => readQuery(query).terms.map((term) => term.words.join(' '))

describe('readQuery', () => {
  it('[request.query] cuts at 512 units and says so, and keeps 512 whole', () => {
    expect(readQuery('x'.repeat(512))).toMatchObject({ truncated: false })
    const cut = readQuery(`${'x'.repeat(512)}y`)
    expect(cut.truncated).toBe(true)
    expect(cut.terms[0]?.words).toEqual(['x'.repeat(512)])
  })

  it('[request.query] never splits a surrogate pair', () => {
    const cut = readQuery(`${'a'.repeat(511)}\u{20000}`)
    expect(cut.truncated).toBe(true)
    expect(cut.terms.map((term) => term.raw)).toEqual(['a'.repeat(511)])
  })

  it('keeps at most 48 index terms, phrases counted by their words', () => {
    const many = readQuery(Array.from({ length: 60 }, (_, n) => `w${n}`).join(' '))
    expect(many.terms).toHaveLength(maxQueryTerms)
    expect(many.truncated).toBe(true)
    const path = readQuery(Array.from({ length: 60 }, (_, n) => `p${n}`).join('/'))
    expect(path.terms[0]?.words).toHaveLength(maxQueryTerms)
    expect(path.truncated).toBe(true)
    expect(readQuery(Array.from({ length: 48 }, (_, n) => `w${n}`).join(' ')).truncated).toBe(false)
  })

  it('takes operators out, whatever their case and quotes', () => {
    const query = readQuery('REPO:trawl fix path:"my dir" -Path:\'a b\' loop (path:x')
    expect(query.operators).toMatchObject({
      repo: { any: ['trawl'], none: [] },
      path: { any: ['my dir'], none: ['a b'] },
      agent: { any: [], none: [] },
    })
    expect(query.terms.map((term) => term.raw)).toEqual(['fix', 'loop', '(path:x'])
  })

  it('leaves an operator inside quotes alone', () => {
    const query = readQuery('"see path:foo"')
    expect(query.operators.path).toEqual({ any: [], none: [] })
    expect(query.terms[0]).toMatchObject({ words: ['see', 'path', 'foo'], quoted: true })
  })

  it('makes one phrase of what stands together', () => {
    expect(words("foo.bar a_b bd-q3fy src/app.ts me@x.org don't")).toEqual([
      'foo bar',
      'a b',
      'bd q3fy',
      'src app ts',
      'me x org',
      'don t',
    ])
  })

  it('tells queries that name something from those that describe', () => {
    const literal = [
      'parseJson',
      'MAX_SIZE',
      'a.b',
      'src/app.ts',
      '/etc/hosts',
      '#123',
      'ABC-12',
      'bd-q3fy',
      'f(x)',
      'std::vec',
      'a->b',
      '--watch',
      'TypeError',
      'ENOENT',
      '"two words"',
      'package.json',
    ]
    const describing = [
      'reconnect loop',
      'Where did I fix it?',
      'well-known bug.',
      'e.g',
      '"a"',
      'Ärger über Größe',
    ]
    expect(literal.filter((query) => !readQuery(query).literal)).toEqual([])
    expect(describing.filter((query) => readQuery(query).literal)).toEqual(['e.g'])
  })

  it('[request.query] has no word for punctuation, and throws for nothing', () => {
    for (const query of ['', ' ', '"', '""', '***', '\ud800', '() {} ;', '\0'])
      expect(readQuery(query).terms).toEqual([])
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 700 }), (query) => {
        for (const term of readQuery(query).terms) expect(term.words.length).toBeGreaterThan(0)
      }),
    )
  })
})
