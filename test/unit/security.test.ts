/** What SECURITY.md says is what the code does, and what it links to is there. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../helpers/bundle.ts'
import { withSecurityTables } from '../helpers/docs/exposure-table.ts'

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8')
const security = read('SECURITY.md')

describe('SECURITY.md', () => {
  it('has the tables as the code has them (`npm run docs` writes them)', async () => {
    await expect(await withSecurityTables(security)).toMatchFileSnapshot('../../SECURITY.md')
  })

  const links = Array.from(
    security.matchAll(/\]\(([^)#\s]+)(?:\s+"([^"]*)")?\)/g),
    ([, path = '', title]) => ({
      path,
      title,
    }),
  )

  it('links to many a claim’s proof', () => {
    expect(links.filter(({ title }) => title !== undefined).length).toBeGreaterThan(20)
  })

  it.each(links)('links to $path, which holds "$title"', ({ path, title }) => {
    const text = read(path)
    if (title === undefined) return
    expect(path).toMatch(/\.test\.ts$/)
    expect(text).toContain(title)
  })
})
