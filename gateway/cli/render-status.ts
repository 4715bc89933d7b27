/** One host's index status in a few lines. */
import type { SearchStatus } from '../../protocol/session-search/status.ts'
import { plainText } from '../words/plain-text.ts'
import { count, sayProgress } from '../words/say-progress.ts'
import { sayAgo } from '../words/say-time.ts'

export function renderStatus(hostId: string, status: SearchStatus, nowMs: number): string {
  if (!status.enabled) return `${plainText(hostId)}: no session search here\n`
  const { progress, unreadLines = 0 } = status
  const isUnderWay = progress !== undefined && progress.filesTotal > 0
  const lines = [
    `${plainText(hostId)}: ${status.phase}${isUnderWay ? ` (${sayProgress(progress)})` : ''}`,
    `  ${count(status.filesIndexed, 'file')} indexed, ${status.filesDue} due, ${status.filesFailed} failed · generation ${status.generation}`,
    `  last look ${sayTime(status.lastReconcileAt, nowMs)} · last full sweep ${sayTime(status.lastSweepCompletedAt, nowMs)}`,
  ]
  if (status.writer === 'another-agent') lines.push('  another agent of this machine is indexing')
  if (status.watching?.mode === 'polling') {
    const { reason } = status.watching
    lines.push(`  changes are looked for, not told${reason === undefined ? '' : `: ${plainText(reason)}`}`)
  }
  if (unreadLines > 0) lines.push(`  ${count(unreadLines, 'line')} could not be read`)
  for (const root of status.degradedRoots) lines.push(`  ! ${sayDegraded(root)}`)
  lines.push(...sayUnread(status))
  return `${lines.join('\n')}\n`
}

/** The reason names the root most often; it is not said twice. */
function sayDegraded({ root, reason }: SearchStatus['degradedRoots'][number]): string {
  return plainText(root === undefined || reason.includes(root) ? reason : `${root}: ${reason}`)
}

function sayUnread({ unreadFiles = [], filesFailed }: SearchStatus): string[] {
  const failed = unreadFiles.filter(({ reason, lines }) => reason !== undefined || lines === 0)
  const lines = unreadFiles
    // What may not be named says no more than the counts do.
    .filter(({ path }) => path !== undefined)
    .map(({ path = '', agent, reason, lines: leftOut }) => {
      const what = reason ?? `${count(leftOut, 'line')} left out`
      return `  - ${plainText(path)} (${plainText(agent)}): ${plainText(what)}`
    })
  const more = filesFailed - failed.length
  if (lines.length > 0 && more > 0) lines.push(`  - and ${more} more that failed`)
  return lines
}

function sayTime(timeMs: number | null, nowMs: number): string {
  return timeMs === null ? 'never' : sayAgo(timeMs, nowMs)
}
