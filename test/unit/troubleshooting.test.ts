/** docs/troubleshooting.md has a section for each check of `trawl doctor`, and quotes what they really say. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../helpers/bundle.ts'
import { sourceFiles } from '../helpers/docs/source-files.ts'
import { checkHeading, checkIds, withTroubleshooting } from '../helpers/docs/troubleshooting.ts'

const page = readFileSync(join(repositoryRoot, 'docs/troubleshooting.md'), 'utf8')
const checks = page.slice(page.indexOf('\n## The checks\n'))

describe('docs/troubleshooting.md', () => {
  it('has a section for every check, in their order, and for no other', () => {
    expect(Array.from(checks.matchAll(/^### (.+)$/gm), ([, heading]) => heading)).toEqual(
      checkIds.map(checkHeading),
    )
  })

  it('says of each what the check says (`npm run docs` writes it)', async () => {
    await expect(withTroubleshooting(page)).toMatchFileSnapshot('../../docs/troubleshooting.md')
  })

  it('quotes words that the checks have', () => {
    const words = sourceFiles(['gateway'])
      .filter(({ path }) => /^gateway\/(cli\/doctor|cli\/say-|words\/|config|hosts\/host)/.test(path))
      .map(({ text }) => text)
      .join('\n')
    const quotes = Array.from(checks.matchAll(/^- (?:`[^`]+`(?:, | or | and )?)+/gm)).flatMap(([line]) =>
      Array.from(line.matchAll(/`([^`]+)`/g), ([, quote = '']) => quote),
    )
    expect(quotes.length).toBeGreaterThan(30)
    const isSaid = (quote: string) => quote.split('…').every((part) => words.includes(part.trim()))
    expect(quotes.filter((quote) => !isSaid(quote))).toEqual([])
  })
})
