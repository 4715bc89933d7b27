/** Messages of Hermes that were said before: a compaction, a continuation and a branch begin with copies. */

import { contentText, isSummary } from './hermes-messages.ts'
import type { JsonRecord } from './json-record.ts'

/**
 * `compacted`: some of the first messages, a summary of what came then, and the last messages as they were.
 * `branched`: the first messages, up to where the branch was made.
 */
export type CopyKind = 'compacted' | 'branched'

/** @returns the rows without the copies at their head; the summary stays. */
export function withoutCopies(
  kind: CopyKind,
  originals: readonly JsonRecord[],
  rows: readonly JsonRecord[],
): readonly JsonRecord[] {
  const said = originals.filter(isSaid).map(sameness)
  return kind === 'branched' ? rows.slice(commonHead(said, rows)) : afterSummary(said, rows)
}

function commonHead(said: readonly string[], rows: readonly JsonRecord[]): number {
  let copied = 0
  for (const [at, row] of rows.entries()) {
    if (!isSaid(row)) continue
    if (said[copied] !== sameness(row)) return at
    copied++
  }
  return rows.length
}

function afterSummary(said: readonly string[], rows: readonly JsonRecord[]): readonly JsonRecord[] {
  const summaryAt = rows.findIndex((row) => isSummary(contentText(row.content)))
  const known = new Set(said)
  const head = rows.slice(0, summaryAt + 1).filter((row, at) => at === summaryAt || !known.has(sameness(row)))
  const rest = rows.slice(summaryAt + 1).filter(isSaid)
  return [...head, ...rest.slice(lengthOfEnd(said, rest.map(sameness)))]
}

/** How many of the first texts are the last ones of what was said. */
function lengthOfEnd(said: readonly string[], texts: readonly string[]): number {
  for (let start = Math.max(0, said.length - texts.length); start < said.length; start++) {
    const end = said.slice(start)
    if (end.every((text, at) => text === texts[at])) return end.length
  }
  return 0
}

/** The head of a file, and what the program tells the model of itself, are nothing that was said. */
function isSaid({ role }: JsonRecord): boolean {
  return role !== 'system' && role !== 'session_meta'
}

function sameness({ role, content, tool_calls }: JsonRecord): string {
  return JSON.stringify([role, content, tool_calls])
}
