/** `search_sessions`: one page of hits within a budget, and plainly said which hosts have no part in it. */
import type { Hit } from '../../protocol/session-search/hit.ts'
import type { SearchRequestInput } from '../../protocol/session-search/request.ts'
import {
  type LegReport,
  parseHostResponse,
  type SearchResponse,
  type SearchResults,
} from '../../protocol/session-search/response.ts'
import { plainText } from '../words/plain-text.ts'
import { caveats, legsOf, nothingFoundSentences } from '../words/say-legs.ts'
import { sayWhy } from '../words/say-why.ts'
import { cutText, fittingItems, largestFitting } from './token-budget.ts'
import { type Answer, type AskGateway, isWithin } from './tool-answer.ts'
import type { NamedSession, SearchInput, SearchOutput } from './tool-schemas.ts'
import { findUnfinished } from './unfinished-indexes.ts'

/** What a hit costs at least, so that no more are asked for than can be shown. */
const tokensPerHit = 120
const maxTitleUnits = 120
const maxSnippetUnits = 2_000

export interface SearchToolOptions {
  readonly ask: AskGateway
  readonly signal: AbortSignal
  /** Sessions that are not to be found. */
  readonly excluded: readonly NamedSession[]
  /** Where the caller does not say. */
  readonly freshness?: SearchRequestInput['freshness']
}

/** @returns the answer, or a sentence where there is none. @throws TrawlError what the gateway answered. */
export async function searchTool(input: SearchInput, options: SearchToolOptions): Promise<Answer | string> {
  const mostHits = Math.max(1, Math.floor(input.maxTokens / tokensPerHit) - 2)
  for (let limit = Math.min(input.limit, mostHits); limit >= 1; limit = Math.floor(limit / 2)) {
    const response = await askForPage({ ...input, limit }, options)
    if (response.kind !== 'results') return sayRefusal(response, input.executionHostId)
    const legs = legsOf(response, input.executionHostId)
    const unfinished =
      response.hits.length > 0 ? new Map<string, string>() : await findUnfinished(legs, options)
    const answer = fittingAnswer({ response, legs, unfinished }, input)
    if (answer !== null) return answer
  }
  return `One session alone, or the place to go on from, is longer than ${input.maxTokens} tokens. Ask one host instead of all, or call again with a larger maxTokens.`
}

/** Excluded sessions are taken out of the page and nothing is put in their place, so its cursor still fits. */
async function askForPage(input: SearchInput, options: SearchToolOptions): Promise<SearchResponse> {
  const isExcluded = (hit: Hit) =>
    options.excluded.some(({ agent, sessionId }) => agent === hit.agent && sessionId === hit.sessionId)
  let request = requestOf(input, options)
  for (;;) {
    const answer = await options.ask('aiVault.searchSessions', request, options.signal)
    const { response } = parseHostResponse(answer)
    if (response.kind !== 'results') return response
    const hits = response.hits.filter((hit) => !isExcluded(hit))
    const { cursor, hasMore } = response.page
    // An empty page with more behind it would read like nothing found.
    if (hits.length > 0 || response.hits.length === 0 || !hasMore || cursor === null)
      return { ...response, hits }
    request = { ...request, cursor }
  }
}

function requestOf(input: SearchInput, { freshness }: SearchToolOptions): SearchRequestInput {
  const { query, executionHostId, limit, cursor, scope, agents, scopePaths, since, sort } = input
  const fresh = input.freshness ?? freshness
  return {
    query,
    executionHostId,
    limit,
    paging: 'complete',
    ...(cursor === undefined ? {} : { cursor }),
    ...(scope === undefined ? {} : { scope }),
    ...(fresh === undefined ? {} : { freshness: fresh }),
    filters: {
      ...(agents === undefined ? {} : { agents }),
      ...(scopePaths === undefined ? {} : { scopePaths }),
      ...(since === undefined ? {} : { since }),
      ...(sort === undefined ? {} : { sort }),
    },
  }
}

interface Page {
  readonly response: SearchResults
  readonly legs: readonly LegReport[]
  /** Host id → what it has not searched yet. */
  readonly unfinished: ReadonlyMap<string, string>
}

/** Snippets are as long as the budget lets them be, the further ones first to go. @returns null where nothing fits. */
function fittingAnswer(page: Page, { executionHostId, maxTokens }: SearchInput): Answer | null {
  const build = (size: number): Answer => {
    const structure = structureOf(page, { executionHostId, maxTokens, size })
    return { structure, text: textOf(structure, page) }
  }
  const size = largestFitting(0, maxSnippetUnits, (units) => isWithin(build(units), maxTokens))
  return size === null ? null : build(size)
}

function structureOf(
  { response, legs, unfinished }: Page,
  { executionHostId, maxTokens, size }: { executionHostId: string; maxTokens: number; size: number },
): SearchOutput {
  const silent = legs.filter((leg) => leg.outcome !== 'results')
  const hosts = [...silent, ...legs.filter((leg) => leg.outcome === 'results')].map(
    ({ executionHostId: id, outcome, reason }) => ({
      executionHostId: id,
      outcome,
      ...(reason === undefined ? {} : { reason }),
    }),
  )
  const listed = fittingItems(hosts, maxTokens / 4)
  const sayHost = (leg: LegReport) => `${plainText(leg.executionHostId)} was not searched: ${sayWhy(leg)}.`
  const notes = fittingItems([...silent.map(sayHost), ...caveats(response)], maxTokens / 8)
  const dropped = legs.some((leg) => leg.droppedHits !== undefined)
  return {
    complete: silent.length === 0 && unfinished.size === 0 && !dropped && !response.truncated.freshness,
    hits: response.hits.map((hit) => shownHit(hit, executionHostId, size)),
    page: { cursor: response.page.cursor, hasMore: response.page.hasMore },
    hosts: listed,
    hostsNotListed: hosts.length - listed.length,
    notes,
  }
}

function shownHit(hit: Hit, askedHostId: string, size: number): SearchOutput['hits'][number] {
  const { agent, sessionId, cwd, branch, updatedAt, messageCount, evidence, duplicateCount, resumeCommand } =
    hit
  return {
    executionHostId: hit.executionHostId ?? askedHostId,
    agent,
    sessionId,
    title: cutText(hit.title, maxTitleUnits),
    cwd,
    branch,
    updatedAt,
    messageCount,
    evidence: shownEvidence(evidence, size),
    ...(duplicateCount === undefined ? {} : { duplicateCount }),
    ...(resumeCommand === undefined ? {} : { resumeCommand }),
  }
}

function shownEvidence(evidence: Hit['evidence'], size: number): Hit['evidence'] {
  if (evidence === null) return null
  const { further = [], ...best } = evidence
  // The better half of what may be spent is for the best message.
  const furtherSize = Math.floor(size / 2) - 100
  return {
    ...best,
    snippet: cutText(best.snippet, size),
    ...(further.length === 0 || furtherSize < 100
      ? {}
      : { further: further.map((each) => ({ ...each, snippet: cutText(each.snippet, furtherSize) })) }),
  }
}

function textOf(output: SearchOutput, { legs, unfinished }: Page): string {
  const { hits, page, notes, complete } = output
  const answered = legs.filter((leg) => leg.outcome === 'results').length
  const lines: string[] = []
  if (hits.length === 0 && !page.hasMore) lines.push(cutText(nothingFoundSentences(legs, unfinished), 600))
  else
    lines.push(
      `${hits.length} ${hits.length === 1 ? 'session' : 'sessions'} from ${answered} of ${legs.length} hosts.`,
    )
  if (!complete)
    lines.push(
      'This answer is not complete: what is missing here may still exist. See list_hosts and index_status.',
    )
  lines.push(...notes, ...hits.map(sayHit))
  if (page.hasMore && page.cursor !== null)
    lines.push(`More: call again with the same arguments and cursor ${JSON.stringify(page.cursor)}`)
  else if (page.hasMore) lines.push('There is more, but no way to go on: narrow the query.')
  if (hits.length > 0)
    lines.push('To read one: read_session with its executionHostId, agent, sessionId and around.')
  return lines.join('\n')
}

function sayHit(hit: SearchOutput['hits'][number], at: number): string {
  const place = [hit.cwd ?? '', hit.branch === null ? '' : `(${hit.branch})`].filter((word) => word !== '')
  const { evidence } = hit
  const seen = evidence === null ? [] : [evidence, ...(evidence.further ?? [])]
  return [
    `${at + 1}. ${plainText(hit.title)}`,
    `   executionHostId ${plainText(hit.executionHostId)} agent ${hit.agent} sessionId ${plainText(hit.sessionId)}`,
    `   ${plainText([hit.updatedAt ?? 'no time', ...place].join(' '))}, ${hit.messageCount} messages`,
    ...seen.map(
      ({ role, messageIndex, snippet }) =>
        `   ${role}${messageIndex === undefined ? '' : ` (around ${messageIndex})`}: ${plainText(snippet)}`,
    ),
    ...(hit.resumeCommand === undefined ? [] : [`   resume: ${plainText(hit.resumeCommand)}`]),
  ].join('\n')
}

function sayRefusal(response: Exclude<SearchResponse, SearchResults>, executionHostId: string): string {
  if (response.kind === 'stale-cursor')
    return 'The index has changed since that cursor was given out. Search again without cursor.'
  if (response.kind === 'malformed-cursor')
    return 'The cursor does not belong to this search. Pass page.cursor exactly as it was given, with all other arguments unchanged, or search again without it.'
  return `${plainText(executionHostId)} was not searched: ${sayWhy({ executionHostId, outcome: 'unavailable', reason: response.reason, durationMs: 0 })}. Leave executionHostId out to search the others, or try again later.`
}
