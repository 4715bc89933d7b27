/** What an index holds, read back as texts to draw queries from. */
import type { SqlDatabase } from '../host-agent/index/driver/driver.ts'
import { numberIn, textIn } from '../host-agent/index/read.ts'

export interface HeldSession {
  readonly rowId: number
  /** Its title and its messages as they are indexed, lower-cased. */
  readonly texts: readonly string[]
  /** The messages as they were written. */
  readonly written: readonly string[]
}

export function heldSessions(db: SqlDatabase): HeldSession[] {
  const sessions = new Map<number, string[]>()
  const rows = db.prepare('SELECT session_row_id AS id, text FROM messages ORDER BY messages.id').iterate()
  for (const row of rows) {
    const id = numberIn(row, 'id')
    const texts = sessions.get(id)
    if (texts === undefined) sessions.set(id, [textIn(row, 'text')])
    else texts.push(textIn(row, 'text'))
  }
  const titles = db.prepare('SELECT title FROM sessions WHERE id = ?')
  return [...sessions].map(([rowId, written]) => ({
    rowId,
    written,
    texts: [textIn(titles.get(rowId) ?? { title: '' }, 'title'), ...written].map((text) =>
      text.toLowerCase(),
    ),
  }))
}

/** Every word that stands somewhere, folded as the index has it. */
export function heldVocabulary(db: SqlDatabase): Set<string> {
  return new Set(
    db
      .prepare('SELECT term FROM messages_vocab')
      .all()
      .map((row) => textIn(row, 'term')),
  )
}
