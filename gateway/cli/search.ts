/** `trawl search`: one query to one host or all, hits on stdout, everything else on stderr. */
import { resolve } from 'node:path'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { readQuerySyntax } from '../../protocol/session-search/query-syntax.ts'
import type { SearchRequestInput } from '../../protocol/session-search/request.ts'
import { maxLimit } from '../../protocol/session-search/request.ts'
import {
  parseHostResponse,
  type SearchResponse,
  type SearchResults,
  type UnavailableReason,
} from '../../protocol/session-search/response.ts'
import { type Arguments, readArguments, usage } from './arguments.ts'
import type { Command, CommandContext } from './command-context.ts'
import { exitCodes } from './exit-codes.ts'
import type { GatewayClient } from './gateway-client.ts'
import { searchHelp } from './help.ts'
import { openGatewayClient } from './open-gateway-client.ts'
import { plainText } from './plain-text.ts'
import { renderHitForPipe, renderHitForTerminal } from './render-hits.ts'
import { caveats, legsOf, nothingFoundSentences, summaryLine } from './render-legs.ts'
import { quoteForShell } from './shell-quote.ts'
import { createStyle } from './style.ts'
import { createTextMeasure } from './text-width.ts'
import { findUnfinishedHosts } from './unfinished-hosts.ts'
import { parseWhen, whenAllowed } from './when.ts'

const command = 'trawl search'
const defaultColumns = 80

const flags = {
  host: { kind: 'text' },
  agent: { kind: 'list' },
  path: { kind: 'list' },
  since: { kind: 'text' },
  sort: { kind: 'text' },
  scope: { kind: 'text' },
  limit: { kind: 'text' },
  cursor: { kind: 'text' },
  wait: { kind: 'switch' },
  json: { kind: 'switch' },
  strict: { kind: 'switch' },
  debug: { kind: 'switch' },
} as const

export const search: Command = async (args, context) => {
  const given = readArguments(args, command, flags, 'words')
  if (given.isSet('help')) {
    context.stdout.write(searchHelp)
    return exitCodes.done
  }
  const request = readRequest(given, context)
  await using client = await openGatewayClient(context)
  const response = await ask(client, request, context)
  if (given.isSet('json')) {
    context.stdout.write(`${JSON.stringify({ schemaVersion: 1, ...response })}\n`)
  }
  if (response.kind !== 'results') {
    context.stderr.write(`${sayRefusal(response, request, args)}\n`)
    return exitCodes.error
  }
  if (!given.isSet('json')) await show(response, { given, context, request, client, args })
  return exitCodeFor(response, request, given.isSet('strict'))
}

/**
 * Hosts that were started for this very call have not looked at their disks yet, so they are waited for. One that cannot
 * bring its index up to date (a full disk, say) still holds what it held.
 */
async function ask(
  client: GatewayClient,
  request: CliRequest,
  { signal, stderr }: CommandContext,
): Promise<SearchResponse> {
  const send = async (sent: CliRequest) =>
    parseHostResponse(await client.call('aiVault.searchSessions', sent, signal)).response
  if (!client.isFresh || request.freshness !== undefined) return await send(request)
  try {
    const response = await send({ ...request, freshness: 'wait-until-current' })
    const legs = response.kind === 'results' ? (response.hosts ?? []) : []
    if (!legs.some((leg) => leg.reason === 'protocol')) return response
  } catch (error) {
    if (TrawlError.from(error).code !== 'internal') throw error
  }
  stderr.write('An index could not be brought up to date; what it holds was searched. Why: trawl status\n')
  return await send(request)
}

type CliRequest = SearchRequestInput & { executionHostId: string }

/** @throws Refusal `usage`. */
function readRequest(given: Arguments, context: CommandContext): CliRequest {
  const query = given.words.join(' ')
  if (given.words.length === 0) throw usage('What shall be searched for?', command)
  const executionHostId = given.text('host') ?? 'all'
  const since = given.text('since')
  const sinceIso = since === undefined ? undefined : parseWhen(since, context.clock.now())
  if (sinceIso === null) throw usage(`--since takes ${whenAllowed}.`, command)
  const sort = choice(given, 'sort', ['relevance', 'newest'])
  const scope = choice(given, 'scope', ['conversation', 'all'])
  const limit = given.text('limit')
  if (limit !== undefined && !(/^\d{1,3}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= maxLimit))
    throw usage(`--limit takes a whole number from 1 to ${maxLimit}.`, command)
  const scopePaths = given.list('path').map((path) => readScopePath(path, executionHostId, context.cwd))
  if (sort === 'relevance' && executionHostId === 'all')
    context.stderr.write(
      'Hits of several hosts are ordered by time; --sort relevance works with one --host.\n',
    )
  const agents = given.list('agent')
  const cursor = given.text('cursor')
  return {
    query,
    executionHostId,
    paging: 'complete',
    ...(scope === undefined ? {} : { scope }),
    ...(limit === undefined ? {} : { limit: Number(limit) }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(given.isSet('wait') ? { freshness: 'wait-until-current' as const } : {}),
    ...(given.isSet('debug') ? { debug: true } : {}),
    filters: {
      ...(agents.length === 0 ? {} : { agents: [...agents] }),
      ...(scopePaths.length === 0 ? {} : { scopePaths }),
      ...(sinceIso === undefined ? {} : { since: sinceIso }),
      ...(sort === undefined ? {} : { sort }),
    },
  }
}

function choice<Word extends string>(
  given: Arguments,
  flag: string,
  words: readonly Word[],
): Word | undefined {
  const text = given.text(flag)
  const word = words.find((each) => each === text)
  if (text !== undefined && word === undefined) throw usage(`--${flag} takes ${words.join(' or ')}.`, command)
  return word
}

/** A path means the host's own; only this machine's may be said relative to where the command runs. */
function readScopePath(path: string, executionHostId: string, cwd: string): string {
  if (/^(?:[/~]|[A-Za-z]:[\\/]|\\\\)/.test(path)) return path
  if (executionHostId.trim() === 'local') return resolve(cwd, path)
  throw usage(
    `--path ${plainText(path)}: paths are those of the hosts, so they must be absolute. A relative one works with --host local.`,
    command,
  )
}

interface ShowOptions {
  readonly given: Arguments
  readonly context: CommandContext
  readonly request: CliRequest
  readonly client: GatewayClient
  readonly args: readonly string[]
}

async function show(
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

function sayRefusal(
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

function sayUnavailable(reason: UnavailableReason, host: string): string {
  switch (reason) {
    case 'disabled':
      return `Search is switched off on ${host}.`
    case 'not-ready':
      return `The index of ${host} is not ready yet. See how far it is: trawl status --host ${host}`
    case 'no-service':
      return `${host} offers no session search; its trawl-agent may be too old. See: trawl hosts`
  }
}

function exitCodeFor(results: SearchResults, request: CliRequest, isStrict: boolean): number {
  const legs = legsOf(results, request.executionHostId)
  const isSilent = legs.some((leg) => leg.outcome !== 'results')
  if (legs.every((leg) => leg.outcome !== 'results'))
    return isStrict ? exitCodes.hostsSilent : exitCodes.error
  if (isStrict && isSilent) return exitCodes.hostsSilent
  return results.hits.length > 0 ? exitCodes.done : exitCodes.noHits
}
