/**
 * The agents at work on one index, each with what it was told to keep. Who takes something out because it is not wanted
 * any more asks here first whether another one wants it.
 */
import type { SqlDatabase } from './driver/driver.ts'
import { numberIn, numberOrNull, textIn } from './read.ts'

export interface IndexAgent {
  /** Its own, for its life. */
  readonly id: string
  readonly pid: number
  /** Equal for agents that read the same roots. */
  readonly config: string
  /** Null: everything is kept. */
  readonly historyDays: number | null
}

/**
 * Takes the agent down and strikes out those that have ended. Writes only where something has changed.
 * @param isAlive whether a process runs. @returns the others.
 */
export function meetFellows(
  db: SqlDatabase,
  self: IndexAgent,
  isAlive: (pid: number) => boolean,
): IndexAgent[] {
  const known = db
    .prepare('SELECT id, pid, config, history_days FROM agents')
    .all()
    .map((row) => ({
      id: textIn(row, 'id'),
      pid: numberIn(row, 'pid'),
      config: textIn(row, 'config'),
      historyDays: numberOrNull(row, 'history_days'),
    }))
  const ended = known.filter(({ pid }) => pid !== self.pid && !isAlive(pid))
  for (const { id } of ended) leaveFellows(db, id)
  if (!known.some(({ id }) => id === self.id))
    db.prepare('INSERT INTO agents (id, pid, config, history_days) VALUES (?, ?, ?, ?)').run(
      self.id,
      self.pid,
      self.config,
      self.historyDays,
    )
  return known.filter((each) => each.id !== self.id && !ended.includes(each))
}

export function leaveFellows(db: SqlDatabase, id: string): void {
  db.prepare('DELETE FROM agents WHERE id = ?').run(id)
}

/** The longest that any of them keeps; null where one keeps everything. */
export function longestHistory(agents: readonly IndexAgent[]): number | null {
  let longest = 0
  for (const { historyDays } of agents) {
    if (historyDays === null) return null
    longest = Math.max(longest, historyDays)
  }
  return longest
}
