/** Keeps the triggers in place that move the generation: an index without them would serve cursors that lie. */
import type { SqlDatabase } from './driver/driver.ts'
import { textIn } from './read.ts'
import { triggers } from './schema.ts'

/**
 * Makes each missing trigger again, and moves the generation and the removals once if one was missing: what was
 * written without it is not known, so no cursor from before may go on.
 * @returns the names of the triggers that were missing.
 */
export function restoreTriggers(db: SqlDatabase): string[] {
  const missing = missingTriggers(db)
  if (missing.length === 0) return []
  return db.transaction(() => {
    const stillMissing = missingTriggers(db)
    for (const [name, sql] of Object.entries(triggers)) if (stillMissing.includes(name)) db.exec(sql)
    if (stillMissing.length > 0)
      db.exec("UPDATE meta SET value = value + 1 WHERE key IN ('generation', 'removals')")
    return stillMissing
  })
}

function missingTriggers(db: SqlDatabase): string[] {
  const rows = db.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all()
  const present = new Set(rows.map((row) => textIn(row, 'name')))
  return Object.keys(triggers).filter((name) => !present.has(name))
}
