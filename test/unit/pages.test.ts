/** The pages a reader finds in this repository: what they link to is there, and so is the heading behind a `#`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../helpers/bundle.ts'

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/README.md', 'test/fault/README.md'],
  ...readdirSync(join(repositoryRoot, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const textOf = (page: string) => readFileSync(join(repositoryRoot, page), 'utf8')

interface PageLink {
  readonly page: string
  readonly path: string
  readonly anchor: string | undefined
}

const links = pages.flatMap((page) =>
  Array.from(textOf(page).matchAll(/\]\(([^)\s]*)/g), ([, target = '']): PageLink => {
    const [path = '', anchor] = target.split('#')
    return { page, path, anchor }
  }).filter(({ path }) => !/^[a-z]+:/.test(path)),
)

describe('the pages', () => {
  it.each(pages)('%s leads to files that are there', (page) => {
    const missing = links
      .filter((link) => link.page === page && link.path !== '' && !existsSync(fileOf(link)))
      .map(({ path }) => path)
    expect(missing).toEqual([])
  })

  it.each(pages)('%s leads to headings that are there', (page) => {
    const missing = links
      .filter((link) => link.page === page && link.anchor !== undefined)
      .filter((link) => !anchorsOf(relative(repositoryRoot, fileOf(link))).includes(link.anchor ?? ''))
      .map(({ path, anchor }) => `${path}#${anchor}`)
    expect(missing).toEqual([])
  })

  it('are led to from the README', () => {
    const readme = textOf('README.md')
    expect(pages.filter((page) => page.startsWith('docs/') && !readme.includes(`](${page}`))).toEqual([])
  })
})

function fileOf({ page, path }: PageLink): string {
  return path === '' ? join(repositoryRoot, page) : join(repositoryRoot, dirname(page), path)
}

/** As GitHub makes them of headings. */
function anchorsOf(page: string): string[] {
  return Array.from(textOf(page).matchAll(/^#{1,6} (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
