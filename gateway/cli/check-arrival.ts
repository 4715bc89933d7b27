/**
 * `trawl hosts test` of a host that dials in: nothing can be dialled, so the gateway that runs is asked whether it is
 * there, since when, and for a first query over the link it has.
 */
import { hostListSchema } from '../../protocol/rpc/describe.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { HostConfig } from '../config-hosts.ts'
import { type CheckFailure, firstQuery, startSteps } from '../hosts/check-agent.ts'
import { Refusal } from '../refusal.ts'
import { sayAgo } from '../words/say-time.ts'
import { type HostCheck, lineOfFailure, lineOfStep } from './check-host.ts'
import type { CommandContext } from './command-context.ts'
import { runningGateway } from './open-gateway-client.ts'

/**
 * @param onLine told each step as it is done, and the failure.
 * @throws Refusal `gateway-unreachable` where no gateway runs that it could have dialled.
 */
export async function checkArrival(
  { id }: HostConfig,
  context: CommandContext,
  onLine: (line: string) => void,
): Promise<HostCheck> {
  const { clock, signal } = context
  await using gateway = await runningGateway(context)
  if (gateway === null)
    throw new Refusal(
      'gateway-unreachable',
      `${id} dials in, and no gateway runs here that it could dial. Start it: trawl serve`,
    )
  const told: HostCheck['steps'][number][] = []
  const steps = startSteps(clock, (step) => {
    told.push(step)
    onLine(lineOfStep(step))
  })
  steps.current = 'agent'
  try {
    const { hosts } = hostListSchema.parse(await gateway.call('hosts.list', {}, signal))
    const entry = hosts.find(({ executionHostId }) => executionHostId === id)
    if (entry === undefined) throw notTakenUp()
    const nowMs = clock.now()
    const seen =
      entry.lastSeenAt === null
        ? 'it was not seen since the gateway was started'
        : `last seen ${sayAgo(entry.lastSeenAt, nowMs)}`
    if (entry.state !== 'ready') throw notHere(seen, entry.reason)
    const since = entry.readyAt === undefined ? '' : ` since ${new Date(entry.readyAt).toISOString()}`
    steps.done(
      'agent',
      `trawl-agent ${entry.version ?? 'of an unknown version'}, dialled in${since}, ${seen}`,
    )
    steps.current = 'first query'
    const found = await firstQuery(
      async (method, params) => await gateway.call(method, { ...params, executionHostId: id }, signal),
    )
    steps.done('first query', found)
    return { steps: told, failure: null }
  } catch (thrown) {
    if (signal.aborted || thrown instanceof Refusal) throw thrown
    const failure: CheckFailure = steps.failure(thrown)
    onLine(lineOfFailure(failure))
    return { steps: told, failure }
  }
}

function notTakenUp(): TrawlError {
  const sentence =
    'The gateway that runs does not know it. Have it read its configuration again: kill -HUP PID'
  return new TrawlError('unreachable', sentence, { reason: 'not-configured' })
}

function notHere(seen: string, reason = 'offline'): TrawlError {
  const sentence = `It is not here; ${seen}. On that host: trawl-agent connect. If it was never invited: trawl hosts invite`
  return new TrawlError('unreachable', sentence, { reason })
}
