/** Forks in the database of OpenCode and its kin: a session that begins with copies of another's messages. */
import { safely } from './database-rows.ts'
import type { JsonRecord } from './json-record.ts'
import { isForkTitle } from './opencode-titles.ts'
import type { SourceDatabase } from './reader.ts'
import { timestampMs } from './timestamps.ts'

/**
 * How many messages at the head of a session are another's. A copy has an id of its own but keeps the instant of its
 * original, to the millisecond; only what the agent itself calls a fork is looked at.
 */
export function forkedMessages(database: SourceDatabase, sessionId: string, session: JsonRecord): number {
  if (!isForkTitle(session.title) || !database.columns('message').has('time_created')) return 0
  const own = messageTimes(database, sessionId)
  const [first] = own
  if (first === undefined) return 0
  const originals = database
    .rows(
      `SELECT DISTINCT session.id FROM message JOIN session ON session.id = message.session_id
      WHERE message.time_created = ? AND session.id <> ? AND session.time_created < ?`,
      first,
      sessionId,
      timestampMs(session.time_created) ?? 0,
    )
    .map(({ id }) => String(id))
  const theirs = new Set(originals.flatMap((id) => messageTimes(database, id)))
  const at = own.findIndex((time) => !theirs.has(time))
  return at === -1 ? own.length : at
}

function messageTimes(database: SourceDatabase, sessionId: string): number[] {
  return database
    .rows(
      `SELECT ${safely('time_created')} AS at FROM message WHERE session_id = ? ORDER BY time_created, id`,
      sessionId,
    )
    .map(({ at }) => Number(at))
}
