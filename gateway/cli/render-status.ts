/** One host's index status in a few lines. */
import type { SearchStatus } from '../../protocol/session-search/status.ts'
import { plainText } from './plain-text.ts'
import { sayAgo } from './say-time.ts'

export function renderStatus(hostId: string, status: SearchStatus, nowMs: number): string {
  if (!status.enabled) return `${plainText(hostId)}: no session search here\n`
  const { progress } = status
  const lines = [
    `${plainText(hostId)}: ${status.phase}${progress === undefined ? '' : ` (${sayProgress(progress)})`}`,
    `  ${count(status.filesIndexed, 'file')} indexed, ${status.filesDue} due, ${status.filesFailed} failed · generation ${status.generation}`,
    `  last look ${sayTime(status.lastReconcileAt, nowMs)} · last full sweep ${sayTime(status.lastSweepCompletedAt, nowMs)}`,
  ]
  if (status.unreadLines !== undefined && status.unreadLines > 0)
    lines.push(`  ${count(status.unreadLines, 'line')} could not be read`)
  for (const { root, reason } of status.degradedRoots)
    lines.push(`  ! ${root === undefined ? '' : `${plainText(root)}: `}${plainText(reason)}`)
  return `${lines.join('\n')}\n`
}

function sayProgress(progress: NonNullable<SearchStatus['progress']>): string {
  const { filesDone, filesTotal, bytesDone, bytesTotal } = progress
  const share = bytesTotal === 0 ? 100 : Math.floor((100 * bytesDone) / bytesTotal)
  return `${filesDone} of ${count(filesTotal, 'file')}, ${Math.min(share, 100)} %`
}

function sayTime(timeMs: number | null, nowMs: number): string {
  return timeMs === null ? 'never' : sayAgo(timeMs, nowMs)
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}
