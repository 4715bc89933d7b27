/** What each host had to do with an answer, in words: the summary line, and the sentences when nothing was found. */
import type { LegReport, SearchResults } from '../../protocol/session-search/response.ts'
import { plainText } from './plain-text.ts'
import { sayDuration } from './say-time.ts'
import { sayWhy } from './say-why.ts'

/** The legs of an answer; a single host's answer is one leg. */
export function legsOf(results: SearchResults, askedHostId: string): readonly LegReport[] {
  return (
    results.hosts ?? [{ executionHostId: askedHostId, outcome: 'results', durationMs: results.durationMs }]
  )
}

/** `13 hits · local 4 in 6 ms · ssh:devbox 9 in 31 ms · runtime:ci did not answer (timeout after 10 s)` */
export function summaryLine(results: SearchResults, askedHostId: string): string {
  const perHost = new Map<string, number>()
  for (const hit of results.hits) {
    const id = hit.executionHostId ?? askedHostId
    perHost.set(id, (perHost.get(id) ?? 0) + 1)
  }
  const total = results.hits.length
  const legs = legsOf(results, askedHostId).map((leg) => {
    const id = plainText(leg.executionHostId)
    if (leg.outcome !== 'results') return `${id} did not answer (${sayWhy(leg)})`
    return `${id} ${perHost.get(leg.executionHostId) ?? 0} in ${sayDuration(leg.durationMs)}`
  })
  return [`${total} ${total === 1 ? 'hit' : 'hits'}`, ...legs].join(' · ')
}

/**
 * Zero hits, honestly: only hosts that searched all they have are said to hold nothing.
 * @param unfinished host id → what is not yet searched there, for hosts that answered.
 */
export function nothingFoundSentences(
  legs: readonly LegReport[],
  unfinished: ReadonlyMap<string, string>,
): string {
  if (legs.length === 0) return 'No host was asked: host: leaves none.'
  const complete = legs.filter((leg) => leg.outcome === 'results' && !unfinished.has(leg.executionHostId))
  const sentences: string[] = []
  if (complete.length > 0)
    sentences.push(`Nothing found on ${list(complete.map((leg) => plainText(leg.executionHostId)))}.`)
  for (const leg of legs) {
    const id = plainText(leg.executionHostId)
    const rest = unfinished.get(leg.executionHostId)
    if (leg.outcome !== 'results') sentences.push(`${id} was not searched: ${sayWhy(leg)}.`)
    else if (rest !== undefined) sentences.push(`${id} has nothing so far: ${rest}.`)
  }
  return sentences.join(' ')
}

function list(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

/** What the answer leaves out although every host answered; one sentence each. */
export function caveats(results: SearchResults): string[] {
  const { truncated } = results
  const sentences: string[] = []
  if (truncated.query) sentences.push('The query is longer than 512 characters; the rest of it was not used.')
  if (truncated.candidates)
    sentences.push('There are more matches than were ranked; a narrower query ranks them all.')
  if (truncated.freshness)
    sentences.push('The newest messages may be missing: an index did not catch up within 5 s.')
  for (const { executionHostId, droppedHits } of results.hosts ?? [])
    if (droppedHits !== undefined)
      sentences.push(
        `${plainText(executionHostId)} sent ${droppedHits} ${droppedHits === 1 ? 'hit' : 'hits'} that this version cannot read.`,
      )
  return sentences
}
