/** What an index holds, in lines for a person. */
import type { SearchStatus } from '../../protocol/session-search/status.ts'
import type { ResidentStatus } from './resident-words.ts'

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
  if (status.writer === 'another-agent') lines.push('another agent of this machine is indexing')
  for (const { root = '', reason } of degradedRoots)
    lines.push(`not verified: ${reason.includes(root) ? reason : `${root} (${reason})`}`)
  for (const { path = 'a file', agent, reason, lines: leftOut } of status.unreadFiles ?? [])
    lines.push(`not read: ${path} (${agent}): ${reason ?? `${count(leftOut, 'line')} left out`}`)
  return lines.join('\n')
}

export function sayResident({ pid, version, sinceMs, connections }: ResidentStatus, nowMs: number): string {
  return `resident agent ${version}: process ${pid}, started ${ago(sinceMs, nowMs)}, ${count(connections, 'connection')}`
}

/** One line that is written over itself. */
export function sayProgress({ progress, filesIndexed, phase, writer }: SearchStatus): string {
  if (writer === 'another-agent')
    return `another agent of this machine is indexing: ${count(filesIndexed, 'transcript')} so far`
  if (progress === undefined) return `${phase}: ${count(filesIndexed, 'transcript')} indexed`
  const { filesDone, filesTotal, bytesDone, bytesTotal, bytesPerSec = null, msLeft = null } = progress
  const rate = bytesPerSec === null ? '' : `, ${mebibytes(bytesPerSec)} MiB/s`
  const left = msLeft === null ? '' : `, ${Math.max(1, Math.round(msLeft / 1000))} s left`
  return `indexing ${filesDone} of ${count(filesTotal, 'transcript')}, ${mebibytes(bytesDone)} of ${mebibytes(bytesTotal)} MiB${rate}${left}`
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
