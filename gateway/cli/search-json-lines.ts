/** `trawl search --jsonl`: an object a line as hosts answer, hits and what became of each host; the summary comes last. */
import type { Hit } from '../../protocol/session-search/hit.ts'
import type { LegReport, SearchResponse } from '../../protocol/session-search/response.ts'
import { legsOf } from '../words/say-legs.ts'
import type { CommandContext } from './command-context.ts'
import { openLiveClient } from './live-client.ts'
import type { CliRequest } from './search-request.ts'

const schemaVersion = 1

/**
 * Hits come in the order in which hosts answer, up to the limit of each; the summary's cursor goes on behind the first
 * of them all in time.
 */
export async function searchJsonLines(request: CliRequest, context: CommandContext): Promise<SearchResponse> {
  await using client = await openLiveClient(context)
  const told = new Set<string>()
  let hitCount = 0
  const print = (line: object) => void context.stdout.write(`${JSON.stringify(line)}\n`)
  const printHost = (leg: LegReport, hits: readonly Hit[]) => {
    told.add(leg.executionHostId)
    hitCount += hits.length
    for (const hit of hits) print({ type: 'hit', ...hit })
    print({ type: 'host', ...leg, hits: hits.length })
  }
  const freshness = client.isFresh ? { freshness: 'wait-until-current' as const } : {}
  const response = await client.search({ ...freshness, ...request }, context.signal, ({ hits, ...leg }) =>
    printHost(leg, hits),
  )
  if (response.kind !== 'results') {
    print({ type: 'summary', schemaVersion, ...response })
    return response
  }
  const { hits, hosts: _hosts, ...summary } = response
  const legs = legsOf(response, request.executionHostId)
  for (const leg of legs)
    if (!told.has(leg.executionHostId))
      printHost(
        leg,
        hits.filter((hit) => (hit.executionHostId ?? request.executionHostId) === leg.executionHostId),
      )
  print({ type: 'summary', schemaVersion, ...summary, hits: hitCount, hosts: legs })
  return response
}
