/** Keeps an index to the sessions of the last days, and free of what is excluded, where a person has asked for that. */
import { setImmediate as eventLoopTurn } from 'node:timers/promises'
import { hideExcludedSessions } from '../index/excluded.ts'
import { deletePurged, hideOldSessions } from '../index/purge.ts'
import type { PassContext } from './pass.ts'

const dayMs = 86_400_000

/** @param historyDays null: everything is kept. @returns milliseconds since the epoch. */
export function keptSince(historyDays: number | null, nowMs: number): number | null {
  return historyDays === null ? null : nowMs - historyDays * dayMs
}

/** Before anything is read: nobody is to wait for that to have them gone. */
export async function hideExcluded({ db, exclusion, signal }: PassContext): Promise<void> {
  if (exclusion.text === '') return
  while (hideExcludedSessions(db, exclusion.covers) > 0) {
    signal.throwIfAborted()
    await eventLoopTurn()
  }
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
