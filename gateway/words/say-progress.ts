/** How far an index is, and when it will be through, in words. */
import type { SearchStatus } from '../../protocol/session-search/status.ts'
import { sayDuration } from './say-time.ts'

/** `214 of 5000 files, 12 %, 41 MB/s, 2 min left`; what is not known yet is left out. */
export function sayProgress(progress: NonNullable<SearchStatus['progress']>): string {
  const { filesDone, filesTotal, bytesDone, bytesTotal } = progress
  const share = bytesTotal === 0 ? 100 : Math.floor((100 * bytesDone) / bytesTotal)
  return [
    `${filesDone} of ${count(filesTotal, 'file')}`,
    `${Math.min(share, 100)} %`,
    ...pace(progress),
  ].join(', ')
}

/** `41 MB/s` and `2 min left`, where they are known. */
export function pace({ bytesPerSec, msLeft }: NonNullable<SearchStatus['progress']>): string[] {
  const parts: string[] = []
  if (bytesPerSec !== undefined && bytesPerSec !== null) parts.push(sayRate(bytesPerSec))
  if (msLeft !== undefined && msLeft !== null) parts.push(`${sayDuration(Math.max(1000, msLeft))} left`)
  return parts
}

export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}

function sayRate(bytesPerSec: number): string {
  const megabytes = bytesPerSec / 1e6
  return megabytes < 9.95 ? `${megabytes.toFixed(1)} MB/s` : `${Math.round(megabytes)} MB/s`
}
