/** What of a host is not searched yet, in words: before "nothing found" is said. */
import type { SearchStatus } from '../../protocol/session-search/status.ts'
import { pace } from './say-progress.ts'

/**
 * @param wasStale whether some host of an answer did not catch up in time; the answer does not say which.
 * @returns the end of a sentence; null where all that the host holds is searched.
 */
export function sayUnfinished(status: SearchStatus, wasStale = false): string | null {
  const { filesIndexed, filesDue, degradedRoots, progress } = status
  if (filesDue > 0 || status.phase === 'indexing') {
    const howFar = [
      `${filesIndexed} of ${filesIndexed + filesDue} files`,
      ...(progress === undefined ? [] : pace(progress)),
    ]
    return `it is still indexing (${howFar.join(', ')})`
  }
  if (status.phase === 'degraded') {
    const count = degradedRoots.length
    return `${count} of its sources could not be read`
  }
  if (status.phase === 'closed') return 'its index is closed'
  if (status.lastReconcileAt === null) return 'its index has not been filled yet'
  return wasStale ? 'its index may not have caught up in time' : null
}
