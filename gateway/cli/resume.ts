/** `trawl resume HOST AGENT SESSION`: prints the command that goes on with a session; it never runs it. */
import type { Hit } from '../../protocol/session-search/hit.ts'
import { maxLimit } from '../../protocol/session-search/request.ts'
import { parseHostResponse } from '../../protocol/session-search/response.ts'
import { plainText } from '../words/plain-text.ts'
import { readArguments } from './arguments.ts'
import type { Command, CommandContext } from './command-context.ts'
import { flagsOf } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import type { GatewayClient } from './gateway-client.ts'
import { openGatewayClient } from './open-gateway-client.ts'
import { readSessionName, type SessionName } from './session-words.ts'
import { quoteForShell } from './shell-quote.ts'

const command = 'trawl resume'

export const resume: Command = async (args, context) => {
  const given = readArguments(args, command, flagsOf('resume'))
  const name = readSessionName(given, command)
  await using client = await openGatewayClient(context)
  const hit = await findSession(name, client, context)
  const resumeCommand = hit?.resumeCommand ?? null
  const why = resumeCommand !== null ? null : hit === null ? sayNotFound(name) : whyNoCommand(hit)
  if (given.isSet('json'))
    context.stdout.write(`${JSON.stringify({ schemaVersion: 1, ...name, resumeCommand, why })}\n`)
  else if (resumeCommand !== null) context.stdout.write(`${plainText(resumeCommand)}\n`)
  if (why !== null && !given.isSet('json')) context.stderr.write(`${why}\n`)
  return resumeCommand === null ? exitCodes.error : exitCodes.done
}

/** No method looks a session up, so those of its agent are gone through, newest first. */
async function findSession(
  { executionHostId, agent, sessionId }: SessionName,
  client: GatewayClient,
  { signal }: CommandContext,
): Promise<Hit | null> {
  const freshness = client.isFresh ? { freshness: 'wait-until-current' } : {}
  let cursor: string | null = null
  do {
    const sent = {
      query: `agent:${agent}`,
      executionHostId,
      paging: 'complete',
      limit: maxLimit,
      ...freshness,
      ...(cursor === null ? {} : { cursor }),
    }
    const { response } = parseHostResponse(await client.call('aiVault.searchSessions', sent, signal))
    if (response.kind !== 'results') return null
    const found = response.hits.find((hit) => hit.sessionId === sessionId && hit.agent === agent)
    if (found !== undefined) return found
    cursor = response.page.hasMore ? response.page.cursor : null
  } while (cursor !== null)
  return null
}

function sayNotFound({ executionHostId, agent, sessionId }: SessionName): string {
  const host = plainText(executionHostId)
  return `${host} has no session ${plainText(sessionId)} of ${plainText(agent)}. How far its index is: trawl status --host ${quoteForShell(host)}`
}

/** Why a hit carries no resume command, and what to do. */
export function whyNoCommand({ executionHostId = 'local', agent, sessionId, source }: Hit): string {
  if (executionHostId !== 'local')
    return `${plainText(executionHostId)} keeps its resume commands to itself. Log in there, and: trawl resume local ${quoteForShell(plainText(agent))} ${quoteForShell(plainText(sessionId))}`
  if (source.presence === 'missing')
    return 'Its transcript is no longer on this machine, so nothing can go on with it.'
  if (source.presence === 'unverifiable')
    return 'Its transcript cannot be looked at right now. Why: trawl status'
  return `${plainText(agent)} has no command that goes on with a session.`
}
