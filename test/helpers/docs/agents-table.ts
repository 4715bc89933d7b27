/** The README's table of agents, made from the readers themselves. */
import type { TranscriptReader } from '../../../host-agent/transcripts/reader.ts'
import { withMadeBlock } from './made-block.ts'
import { code, tableOf } from './markdown.ts'

/** @throws Error where the text has no place for the table. */
export function withAgentsTable(readme: string, readers: readonly TranscriptReader[]): string {
  return withMadeBlock(readme, 'agents', agentsTable(readers))
}

function agentsTable(readers: readonly TranscriptReader[]): string {
  const rows = readers
    .toSorted((a, b) => (a.label.toLowerCase() < b.label.toLowerCase() ? -1 : 1))
    .map((reader) => {
      const { notes, label, agent } = reader
      const paths = reader.roots({ homeDir: '~', platform: 'linux', env: {} }).map(({ path }) => path)
      const roots = paths.slice(0, shownRoots).map(code)
      if (paths.length > shownRoots) roots.push(`and ${paths.length - shownRoots} more`)
      return [
        label,
        code(agent),
        [...roots, ...notes.variables.map((name) => code(`$${name}`))].join(', '),
        notes.resume === null ? '–' : code(notes.resume),
        notes.evidence === 'sample' ? 'public samples' : 'from documentation',
        notes.remark,
      ]
    })
  return tableOf(
    ['agent', 'name', 'looked for in (Linux), moved by', 'goes on with', 'checked against', 'remarks'],
    rows,
  )
}

/** An editor's extensions keep theirs once for each of the editor's kin. */
const shownRoots = 2
