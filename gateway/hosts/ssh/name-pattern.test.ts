import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesPattern, matchesPatternList } from './name-pattern.ts'

describe('matchesPattern', () => {
  it('agrees with a regular expression on small words', () => {
    const text = fc.stringMatching(/^[ab.]{0,8}$/)
    const pattern = fc.stringMatching(/^[ab.*?]{0,8}$/)
    fc.assert(
      fc.property(text, pattern, (text, pattern) => {
        const source = pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')
        expect(matchesPattern(text, pattern)).toBe(new RegExp(`^${source}$`).test(text))
      }),
      { numRuns: 2_000 },
    )
  })

  it('is done at once with a pattern that would send a backtracking matcher astray', () => {
    expect(matchesPattern('a'.repeat(20_000), `${'*a'.repeat(200)}*b`)).toBe(false)
  })
})

describe('matchesPatternList', () => {
  it('lets one negation outweigh every match, wherever it stands', () => {
    expect(matchesPatternList('db.corp', ['*.corp', '!db.*'])).toBe(false)
    expect(matchesPatternList('db.corp', ['!db.*', '*.corp'])).toBe(false)
    expect(matchesPatternList('web.corp', ['!db.*', '*.corp'])).toBe(true)
  })

  it('matches nothing by negation alone', () => {
    expect(matchesPatternList('web', ['!db'])).toBe(false)
  })
})
