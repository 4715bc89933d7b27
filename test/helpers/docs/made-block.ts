/** The parts of a page that `npm run docs` writes: what stands between two marks. */

/** @throws Error where the text has no place for the block. */
export function withMadeBlock(text: string, name: string, made: string): string {
  const begin = `<!-- ${name}: made by \`npm run docs\` -->`
  const end = `<!-- /${name} -->`
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error(`no ${begin} … ${end}`)
  return `${text.slice(0, from + begin.length)}\n${made}\n${text.slice(to)}`
}

export function withMadeBlocks(text: string, blocks: Readonly<Record<string, string>>): string {
  return Object.entries(blocks).reduce((written, [name, made]) => withMadeBlock(written, name, made), text)
}
