/** The contract's clauses are each cited by a test, and no test cites one that does not exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import requirements from '../vectors/requirements.json' with { type: 'json' }

/** Clauses that a later issue brings. An id listed here must not be cited yet, so that the list empties itself. */
const open: readonly string[] = []

const root = fileURLToPath(new URL('../../', import.meta.url))
const shared = fileURLToPath(new URL('../../../shared/vectors/', import.meta.url))

function testFiles(): string[] {
  return ['protocol', 'host-agent', 'gateway', 'test'].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.ts'))
      .map((path) => join(root, room, path)),
  )
}

/** Ids cited in the titles of tests: `it('[merge.recency] …`. */
function citations(): Map<string, string[]> {
  const cited = new Map<string, string[]>()
  for (const file of testFiles()) {
    for (const [, title] of readFileSync(file, 'utf8').matchAll(
      /\bit(?:\.\w+(?:\([^)]*\))?)*\(\s*(['"`](?:(?!\n\s*\n).)*?['"`]),/gs,
    )) {
      for (const [, id] of title?.matchAll(/\[([a-z]+\.[a-z0-9-]+)\]/g) ?? []) {
        // The rows of the complaints about links, which test/fault/link-rows.test.ts sees to.
        if (id !== undefined && !id.startsWith('link.')) cited.set(id, [...(cited.get(id) ?? []), file])
      }
    }
  }
  return cited
}

describe('requirements.json', () => {
  const ids = requirements.requirements.map(({ id }) => id)
  const cited = citations()

  it.each(ids.filter((id) => !open.includes(id)))('%s is cited by a test', (id) => {
    expect(cited.get(id) ?? []).not.toEqual([])
  })

  it('is the only source of the ids that tests cite', () => {
    expect(Array.from(cited.keys()).filter((id) => !ids.includes(id))).toEqual([])
    expect(open.filter((id) => cited.has(id) || !ids.includes(id))).toEqual([])
  })

  it.skipIf(!existsSync(shared))('and its fellow vectors equal the originals where those are present', () => {
    for (const file of readdirSync(shared).filter((name) => name.endsWith('.json'))) {
      const copy = readFileSync(join(root, 'test/vectors', file), 'utf8')
      expect(JSON.parse(copy)).toEqual(JSON.parse(readFileSync(join(shared, file), 'utf8')))
    }
  })
})
