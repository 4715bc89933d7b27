/** Where in the text of the configuration a key is set: the parser keeps no positions, and a person looks for a line. */

/**
 * @param path of a key, or of something inside its value.
 * @returns the line, from 1; null where no line sets it by itself (an inline table does).
 */
export function keyLine(text: string, path: readonly PropertyKey[]): number | null {
  const wanted = path.map(String)
  let table: readonly string[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const header = /^\s*(\[\[?)([^[\]]+)\]/.exec(line)
    if (header !== null) {
      // Entries of a list of tables are found by their header, not by their keys.
      table = header[1] === '[[' ? [''] : partsOf(header[2] ?? '')
      continue
    }
    const key = /^\s*([^=#[\]{}]+?)\s*=/.exec(line)?.[1]
    if (key === undefined) continue
    const set = [...table, ...partsOf(key)]
    if (set.length <= wanted.length && set.every((part, at) => part === wanted[at])) return index + 1
  }
  return null
}

function partsOf(dotted: string): string[] {
  return Array.from(dotted.matchAll(/"([^"]*)"|'([^']*)'|([^.\s]+)/g), ([, double, single, bare]) =>
    String(double ?? single ?? bare),
  )
}
