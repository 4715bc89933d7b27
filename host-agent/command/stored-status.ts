/** What an index holds, read from its file alone: nobody need be at work on it. */
import { absentServiceStatus, type SearchStatus } from '../../protocol/session-search/status.ts'
import type { SqlDriver } from '../index/driver/driver.ts'
import { countFiles, unreadFiles } from '../index/file-rows.ts'
import { IndexError, openIndexForReading } from '../index/open-index.ts'
import { readFence } from '../index/read.ts'
import { maxUnreadFiles } from '../indexing/progress.ts'

/** @returns `enabled: false` where there is no index yet. @throws IndexError for one that cannot be read. */
export function readStoredStatus(driver: SqlDriver, path: string): SearchStatus {
  try {
    using db = openIndexForReading({ driver, path })
    const { indexed, failed, unreadLines, sessions, messages } = countFiles(db)
    const { generation } = readFence(db)
    return {
      ...absentServiceStatus,
      enabled: true,
      filesIndexed: indexed,
      filesFailed: failed,
      generation,
      sessions,
      messages,
      unreadLines,
      unreadFiles: unreadFiles(db, maxUnreadFiles)
        .slice(0, maxUnreadFiles)
        .map(({ failure, ...file }) => ({ ...file, ...(failure === null ? {} : { reason: failure }) })),
    }
  } catch (error) {
    if (error instanceof IndexError && (error.reason === 'absent' || error.reason === 'cannot-open')) {
      return { ...absentServiceStatus, degradedRoots: [] }
    }
    throw error
  }
}
