/** What the README says is there is there. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { transcriptReaders } from '../../host-agent/transcripts/readers.ts'
import { methodTable } from '../../protocol/rpc/methods.ts'
import { repositoryRoot } from '../helpers/bundle.ts'
import { withAgentsTable } from '../helpers/docs/agents-table.ts'

const readme = readFileSync(join(repositoryRoot, 'README.md'), 'utf8')

describe('README.md', () => {
  it('lists every method of the table, and no other', () => {
    const listed = Array.from(
      readme.matchAll(/^\| `((?:aiVault|hosts?|caller|files|devices)\.\w+)` \|/gm),
      ([, name]) => name,
    )
    expect(listed.sort()).toEqual(Object.keys(methodTable).sort())
  })

  it('has the table of agents as the readers have it (`npm run docs` writes it)', async () => {
    await expect(withAgentsTable(readme, transcriptReaders())).toMatchFileSnapshot('../../README.md')
  })

  it('names only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'))
    for (const [, script] of readme.matchAll(/npm run ([a-z:]+)/g))
      expect(scripts).toHaveProperty([script ?? ''])
  })
})
