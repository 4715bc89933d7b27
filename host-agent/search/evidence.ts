/** Which message of a session is shown, where the order of hits (recency) says nothing of it. */
import type { SqlDatabase } from '../index/driver/driver.ts'
import { type MessageRecord, readMessage } from '../index/read.ts'
import { composedText, tokenize } from '../index/tokens.ts'
import { findSpans } from './match-spans.ts'
import type { Rung } from './plan.ts'
import { firstMatches } from './retrieve.ts'

/** Rows looked at for one hit; the session may hold thousands. */
const maxRowsWeighed = 6

const weightOfRole = { user: 2, assistant: 1, tool: 0 } as const

/**
 * @returns the row, among the session's first that match, with the most of the query in it; then the user's before
 * the assistant's before a tool's; then the first. Null where none matches.
 */
export function chooseEvidence(db: SqlDatabase, sessionRowId: number, rung: Rung): number | null {
  let best: { rowId: number; value: number } | null = null
  for (const rowId of firstMatches(db, sessionRowId, rung.match, maxRowsWeighed)) {
    const message = readMessage(db, rowId)
    if (message === null) continue
    const value = phrasesIn(message, rung) * 10 + weightOfRole[message.role]
    if (best === null || value > best.value) best = { rowId, value }
  }
  return best?.rowId ?? null
}

/** Every row found by a phrase or by `and` holds all of it; elsewhere rows differ. */
function phrasesIn(message: MessageRecord, rung: Rung): number {
  if (rung.name === 'phrase' || rung.name === 'and') return 0
  const text = composedText(message.text)
  return new Set(findSpans(text, tokenize(text), rung.highlights).map((span) => span.phrase)).size
}
