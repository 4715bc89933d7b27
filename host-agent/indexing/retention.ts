/** Keeps an index to the sessions of the last days, where a person has asked for that. */
import { setImmediate as eventLoopTurn } from 'node:timers/promises'
import { deletePurged, hideOldSessions } from '../index/purge.ts'
import type { PassContext } from './pass.ts'

const dayMs = 86_400_000

/** @param historyDays null: everything is kept. @returns milliseconds since the epoch. */
export function keptSince(historyDays: number | null, nowMs: number): number | null {
  return historyDays === null ? null : nowMs - historyDays * dayMs
}

/** Searches and other orders get in between two of the small transactions. */
export async function purgeOld({ db, keptSinceMs, signal }: PassContext): Promise<void> {
  if (keptSinceMs !== null) {
    while (hideOldSessions(db, keptSinceMs) > 0) {
      signal.throwIfAborted()
      await eventLoopTurn()
    }
  }
  while (deletePurged(db)) {
    signal.throwIfAborted()
    await eventLoopTurn()
  }
}
