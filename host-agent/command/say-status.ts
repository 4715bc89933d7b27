/** What an index holds, in lines for a person. */
import type { SearchStatus } from '../../protocol/session-search/status.ts'

export function sayStatus(status: SearchStatus, nowMs: number): string {
  const { phase, filesIndexed, filesDue, filesFailed, degradedRoots, unreadLines = 0 } = status
  const lines = [
    `${phase}: ${count(filesIndexed, 'transcript')} indexed, ${filesDue} due, ${filesFailed} failed`,
  ]
  if (status.lastReconcileAt !== null) {
    lines.push(
      `last pass ${ago(status.lastReconcileAt, nowMs)}, last full sweep ${ago(status.lastSweepCompletedAt, nowMs)}`,
    )
  }
  if (unreadLines > 0) lines.push(`${count(unreadLines, 'line')} could not be read`)
  for (const { root = 'a root', reason } of degradedRoots) lines.push(`not verified: ${root} (${reason})`)
  return lines.join('\n')
}

/** One line that is written over itself. */
export function sayProgress({ progress, filesIndexed, phase }: SearchStatus): string {
  if (progress === undefined) return `${phase}: ${count(filesIndexed, 'transcript')} indexed`
  const { filesDone, filesTotal, bytesDone, bytesTotal } = progress
  return `indexing ${filesDone} of ${count(filesTotal, 'transcript')}, ${mebibytes(bytesDone)} of ${mebibytes(bytesTotal)} MiB`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1)
}

function ago(atMs: number | null, nowMs: number): string {
  if (atMs === null) return 'never'
  const seconds = Math.max(0, Math.round((nowMs - atMs) / 1000))
  if (seconds < 120) return `${seconds} s ago`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min ago` : `${Math.round(seconds / 3600)} h ago`
}
