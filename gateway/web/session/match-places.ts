/** The matches of what has been read, one after the other. */

/** Match `number` (from 0) of message `index`. */
export interface MatchPlace {
  readonly index: number
  readonly number: number
}

/** How many matches a message holds, at least one; in the transcript's order. */
export interface MatchCount {
  readonly index: number
  readonly count: number
}

/** @returns the next match or the one before; from a message on where there is no current one; null at the end. */
export function stepFrom(
  counts: readonly MatchCount[],
  from: MatchPlace | number,
  step: 1 | -1,
): MatchPlace | null {
  if (typeof from === 'number') {
    const found =
      step > 0 ? counts.find(({ index }) => index >= from) : counts.findLast(({ index }) => index < from)
    return found === undefined ? null : { index: found.index, number: step > 0 ? 0 : found.count - 1 }
  }
  const here = counts.find(({ index }) => index === from.index)
  const number = from.number + step
  if (here !== undefined && number >= 0 && number < here.count) return { index: from.index, number }
  return stepFrom(counts, step > 0 ? from.index + 1 : from.index, step)
}

/** `match 2 of 5`. @param isWhole whether all of the transcript was looked at. */
export function sayMatches(
  counts: readonly MatchCount[],
  current: MatchPlace | null,
  isWhole: boolean,
): string {
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const soFar = isWhole ? '' : ' so far'
  if (total === 0) return isWhole ? 'no match in the text' : 'no match so far'
  if (current === null) return `${total} ${total === 1 ? 'match' : 'matches'}${soFar}`
  const before = counts.reduce((sum, { index, count }) => sum + (index < current.index ? count : 0), 0)
  return `match ${before + current.number + 1} of ${total}${soFar}`
}
