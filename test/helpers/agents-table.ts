/** The README's table of agents, made from the readers themselves. */
import type { TranscriptReader } from '../../host-agent/transcripts/reader.ts'

const begin = '<!-- agents: made by `npm run docs` -->'
const end = '<!-- /agents -->'

/** @throws Error where the text has no place for the table. */
export function withAgentsTable(readme: string, readers: readonly TranscriptReader[]): string {
  const from = readme.indexOf(begin)
  const to = readme.indexOf(end)
  if (from < 0 || to < from) throw new Error(`no ${begin} … ${end}`)
  return `${readme.slice(0, from + begin.length)}\n${agentsTable(readers)}\n${readme.slice(to)}`
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
      ].join(' | ')
    })
  return [
    '| agent | name | looked for in (Linux), moved by | goes on with | checked against | remarks |',
    '|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n')
}

/** An editor's extensions keep theirs once for each of the editor's kin. */
const shownRoots = 2

const code = (text: string) => `\`${text}\``
