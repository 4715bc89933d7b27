/** An answer to `trawl search` as lines: hits on stdout, everything else on stderr. */
import { readQuerySyntax } from '../../protocol/session-search/query-syntax.ts'
import type {
  SearchResponse,
  SearchResults,
  UnavailableReason,
} from '../../protocol/session-search/response.ts'
import { plainText } from '../words/plain-text.ts'
import { caveats, legsOf, nothingFoundSentences, summaryLine } from '../words/say-legs.ts'
import type { Arguments } from './arguments.ts'
import type { CommandContext } from './command-context.ts'
import type { GatewayClient } from './gateway-client.ts'
import { renderHitForPipe, renderHitForTerminal } from './render-hits.ts'
import type { CliRequest } from './search-request.ts'
import { quoteForShell } from './shell-quote.ts'
import { createStyle } from './style.ts'
import { createTextMeasure } from './text-width.ts'
import { findUnfinishedHosts } from './unfinished-hosts.ts'

const defaultColumns = 80

interface ShowOptions {
  readonly given: Arguments
  readonly context: CommandContext
  readonly request: CliRequest
  readonly client: GatewayClient
  readonly args: readonly string[]
}

export async function showLines(
  results: SearchResults,
  { given, context, request, client, args }: ShowOptions,
): Promise<void> {
  const { stdout, stderr } = context
  const askedHostId = request.executionHostId
  const layout = {
    columns: stdout.columns || defaultColumns,
    nowMs: context.clock.now(),
    style: createStyle(stdout, context.env, given.isSet('no-color')),
    measure: createTextMeasure(),
    askedHostId,
  }
  for (const hit of results.hits)
    stdout.write(
      stdout.isTTY === true ? renderHitForTerminal(hit, layout) : renderHitForPipe(hit, askedHostId),
    )
  const legs = legsOf(results, askedHostId)
  if (results.hits.length > 0) {
    stderr.write(`${summaryLine(results, askedHostId)}\n`)
    // On a first run there is much more than what was found so far.
    if (results.truncated.freshness)
      for (const [id, words] of await findUnfinishedHosts(results, legs, client, context))
        stderr.write(`${plainText(id)}: ${words}.\n`)
  } else if (results.page.hasMore) stderr.write('This page is empty; there is more on the next one.\n')
  else if (askedHostId !== 'all' && choosesHosts(request.query))
    stderr.write(
      `Nothing found, or ${plainText(askedHostId)} was not asked: it is asked only where host: names it too.\n`,
    )
  else
    stderr.write(
      `${nothingFoundSentences(legs, await findUnfinishedHosts(results, legs, client, context))}\n`,
    )
  for (const sentence of caveats(results)) stderr.write(`${sentence}\n`)
  if (results.debug !== undefined) stderr.write(`debug: ${JSON.stringify(results.debug)}\n`)
  if (results.page.hasMore && results.page.cursor !== null)
    stderr.write(`More: ${commandLine(args, results.page.cursor)}\n`)
}

function choosesHosts(query: string): boolean {
  return readQuerySyntax(query).some((part) => part.kind === 'operator' && part.name === 'host')
}

/** The same command, for the shell, with another cursor or none. */
function commandLine(args: readonly string[], cursor: string | null): string {
  const kept: string[] = []
  const end = args.indexOf('--')
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? ''
    const isFlag = end < 0 || index < end
    if (isFlag && arg === '--cursor') index += 1
    else if (!isFlag || !arg.startsWith('--cursor=')) kept.push(arg)
  }
  const words = ['trawl', 'search', ...(cursor === null ? [] : [`--cursor=${cursor}`]), ...kept]
  return words.map(quoteForShell).join(' ')
}

export function sayRefusal(
  response: Exclude<SearchResponse, SearchResults>,
  { executionHostId }: CliRequest,
  args: readonly string[],
): string {
  const again = commandLine(args, null)
  if (response.kind === 'stale-cursor')
    return `The index has changed since that page, so its cursor no longer holds. Start again: ${again}`
  if (response.kind === 'malformed-cursor')
    return `That cursor does not belong to this search. Start again: ${again}`
  return sayUnavailable(response.reason, plainText(executionHostId))
}

export function sayUnavailable(reason: UnavailableReason, host: string): string {
  switch (reason) {
    case 'disabled':
      return `Search is switched off on ${host}.`
    case 'not-ready':
      return `The index of ${host} is not ready yet. See how far it is: trawl status --host ${host}`
    case 'no-service':
      return `${host} offers no session search; its trawl-agent may be too old. See: trawl hosts`
  }
}
