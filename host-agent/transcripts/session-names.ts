/** How a session is named and told apart when its records do not say, and how a title is cut. */

/** UTF-16 units. */
const maxTitleUnits = 96
/** What is kept of a text that may become a title: more than a title, for white space is collapsed later. */
const keptTitleUnits = 400

/** The first words of a text, kept small for a fold's saved state. Blank text gives null. */
export function titleSource(text: string): string | null {
  const kept = text
    .slice(0, 4 * keptTitleUnits)
    .replace(whiteSpace, ' ')
    .trim()
    .slice(0, keptTitleUnits)
  return kept === '' ? null : kept
}

/** White space collapsed, at most 96 UTF-16 units, never cut inside what a reader sees as one character. */
export function cutTitle(text: string): string {
  const flat = text.replace(whiteSpace, ' ').trim()
  if (flat.length <= maxTitleUnits) return flat
  let end = 0
  for (const { index, segment } of graphemes.segment(flat.slice(0, 2 * maxTitleUnits))) {
    if (index + segment.length > maxTitleUnits) break
    end = index + segment.length
  }
  // One endless grapheme (letters under a heap of marks) is cut all the same.
  return flat.slice(0, end === 0 ? maxTitleUnits : end).trimEnd()
}

/** For a session that nothing names: `Claude Code 1a2b3c4d`. */
export function fallbackTitle(label: string, sessionId: string): string {
  return `${label} ${sessionId.slice(0, 8)}`
}

/** The trailing UUID of the file's name, else the name without its ending. */
export function sessionIdOfFile(relativePath: string): string {
  const name = relativePath.slice(relativePath.lastIndexOf('/') + 1).replace(/\.jsonl(?:\.zst)?$/, '')
  return trailingUuid.exec(name)?.[0] ?? name
}

/** A working directory as recorded, or null for what is no absolute path on any system. */
export function recordedPath(value: unknown): string | null {
  return typeof value === 'string' && absolutePath.test(value) ? value : null
}

const whiteSpace = /\s+/g
const trailingUuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const absolutePath = /^(?:\/|\\\\|[a-z]:[\\/])/i
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
