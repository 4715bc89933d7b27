/** `trawl search`: one query to one host or all, as a list to read in, as lines, or as JSON. */
import { TrawlError } from '../../protocol/rpc/errors.ts'
import {
  parseHostResponse,
  type SearchResponse,
  type SearchResults,
} from '../../protocol/session-search/response.ts'
import { legsOf } from '../words/say-legs.ts'
import { readArguments, usage } from './arguments.ts'
import type { Command, CommandContext } from './command-context.ts'
import { flagsOf } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import type { GatewayClient } from './gateway-client.ts'
import { openGatewayClient } from './open-gateway-client.ts'
import { sayRefusal, showLines } from './search-lines.ts'
import { type CliRequest, readRequest } from './search-request.ts'

const command = 'trawl search'

export const search: Command = async (args, context) => {
  const given = readArguments(args, command, flagsOf('search'), 'words')
  const isStrict = given.isSet('strict')
  if (given.isSet('json') && given.isSet('jsonl'))
    throw usage('--json and --jsonl exclude each other.', command)
  const request = readRequest(given, context)
  if (given.isSet('jsonl')) {
    const { searchJsonLines } = await import('./search-json-lines.ts')
    const response = await searchJsonLines(request, context)
    return response.kind === 'results' ? exitCodeFor(response, request, isStrict) : exitCodes.error
  }
  const isForPrograms = given.isSet('json') || given.isSet('debug') || given.isSet('lines')
  if (context.terminal !== undefined && !isForPrograms && request.cursor === undefined) {
    const { openSearchList } = await import('./list/search-list.ts')
    return await openSearchList(request, context, {
      terminal: context.terminal,
      isPlain: given.isSet('no-color'),
    })
  }
  await using client = await openGatewayClient(context)
  const response = await ask(client, request, context)
  if (given.isSet('json')) context.stdout.write(`${JSON.stringify({ schemaVersion: 1, ...response })}\n`)
  if (response.kind !== 'results') {
    context.stderr.write(`${sayRefusal(response, request, args)}\n`)
    return exitCodes.error
  }
  if (!given.isSet('json')) await showLines(response, { given, context, request, client, args })
  return exitCodeFor(response, request, isStrict)
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

function exitCodeFor(results: SearchResults, request: CliRequest, isStrict: boolean): number {
  const legs = legsOf(results, request.executionHostId)
  const isSilent = legs.some((leg) => leg.outcome !== 'results')
  if (legs.every((leg) => leg.outcome !== 'results'))
    return isStrict ? exitCodes.hostsSilent : exitCodes.error
  if (isStrict && isSilent) return exitCodes.hostsSilent
  return results.hits.length > 0 ? exitCodes.done : exitCodes.noHits
}
