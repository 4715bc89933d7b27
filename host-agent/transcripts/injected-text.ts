/** Takes out of a user's message what a program put there: reminders, context, the output of local commands. */

/** Blocks that any agent's program may put into a user's message. */
export const commonInjectedTags = ['system-reminder', 'codex_internal_context', 'goal_context'] as const

/** `<tag>…</tag>` as it was found, the content without the tags. */
interface TaggedBlock {
  readonly tag: string
  readonly content: string
}

export interface SplitText {
  /** What is left, without white space around it. */
  readonly rest: string
  readonly blocks: readonly TaggedBlock[]
}

/** A pattern for `takeBlocks`: the opening tag of any of these. */
export function openingTags(tags: readonly string[]): RegExp {
  // The attributes are bounded: an endless tag must not cost the square of its length.
  return new RegExp(`<(${tags.join('|')})(?:\\s[^<>]{0,200})?>`, 'g')
}

/**
 * Takes the blocks out, outermost first. A tag that is never closed is a person's own text and stays.
 * Linear in the text, whatever it holds.
 */
export function takeBlocks(text: string, opening: RegExp): SplitText {
  if (!text.includes('<')) return { rest: text.trim(), blocks: [] }
  const blocks: TaggedBlock[] = []
  const neverClosed = new Set<string>()
  const kept: string[] = []
  let keptTo = 0
  const pattern = new RegExp(opening.source, 'g')
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const tag = match[1] ?? ''
    if (neverClosed.has(tag)) continue
    const contentStart = match.index + match[0].length
    const contentEnd = text.indexOf(`</${tag}>`, contentStart)
    if (contentEnd === -1) {
      neverClosed.add(tag)
      continue
    }
    blocks.push({ tag, content: text.slice(contentStart, contentEnd) })
    kept.push(text.slice(keptTo, match.index))
    keptTo = contentEnd + tag.length + 3
    pattern.lastIndex = keptTo
  }
  kept.push(text.slice(keptTo))
  return { rest: kept.join('\n').trim(), blocks }
}
