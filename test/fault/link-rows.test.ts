/** Every numbered complaint about links is shown to be dealt with by a test here, or said to be impossible in the README. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const here = new URL('./', import.meta.url)
const rows = [...range(1, 46), ...range(56, 75)]

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at)
}

/** Numbers in the titles of the tests of this folder. */
function cited(): Set<number> {
  const found = new Set<number>()
  for (const name of readdirSync(here).filter((file) => file.endsWith('.test.ts'))) {
    const text = readFileSync(new URL(name, here), 'utf8')
    // A title begins with its numbers, and nothing else in a test does.
    for (const [, tags = ''] of text.matchAll(/['"`]((?:\[link\.\d+\] )+)\S/g))
      for (const [number] of tags.matchAll(/\d+/g)) found.add(Number(number))
  }
  return found
}

/** Numbers that have a sentence of their own in the README. */
function excused(): Set<number> {
  const text = readFileSync(new URL('README.md', here), 'utf8')
  return new Set(Array.from(text.matchAll(/^- `link\.(\d+)` \S.{40,}/gm), ([, number]) => Number(number)))
}

describe('the complaints about links', () => {
  const inTitles = cited()
  const inReadme = excused()

  it.each(rows)('%i is in the title of a test, or in the README with the reason it cannot occur', (row) => {
    expect(inTitles.has(row) || inReadme.has(row)).toBe(true)
  })

  it('are each dealt with in one way, and none is cited that does not exist', () => {
    expect([...inTitles].filter((row) => inReadme.has(row))).toEqual([])
    expect([...inTitles, ...inReadme].filter((row) => !rows.includes(row))).toEqual([])
  })
})
