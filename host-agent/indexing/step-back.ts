/** Lets the threads that answer go first. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Below the usual, above what a system does when nothing else is to be done. */
const niceness = 5

/**
 * Takes this thread, and those that it starts, behind the others of the machine. Linux alone tells threads apart; on
 * other systems it would be the whole process, with those who wait for answers, and nothing is done.
 * @returns the thread's id; null where it was left as it is.
 */
export function stepBack(platform: NodeJS.Platform): number | null {
  if (platform !== 'linux') return null
  try {
    const threadId = Number(/\d+$/.exec(readlinkSync('/proc/thread-self'))?.[0])
    if (!Number.isInteger(threadId)) return null
    setPriority(threadId, niceness)
    return threadId
  } catch {
    return null
  }
}
