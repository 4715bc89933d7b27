/** The checks of `trawl doctor` that ask the hosts: reachable, same version, same time, index whole and fresh. */
import { type HostEntry, hostDescriptionSchema, hostListSchema } from '../../protocol/rpc/describe.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { type SearchStatus, searchStatusSchema } from '../../protocol/session-search/status.ts'
import { count } from '../words/say-progress.ts'
import { sayAgo, sayDuration } from '../words/say-time.ts'
import { letCatchUp } from './catch-up.ts'
import type { CommandContext } from './command-context.ts'
import type { CheckId, CheckState, Finding } from './doctor-checks.ts'
import type { GatewayClient } from './gateway-client.ts'

const askTimeoutMs = 5_000
/** Less is lost in the way there and back. */
const mostSkewMs = 5_000
const staleMs = 15 * 60_000

interface AskedHost {
  readonly entry: HostEntry
  readonly status: SearchStatus | null
  readonly skewMs: number | null
}

export async function checkHosts(client: GatewayClient, context: CommandContext): Promise<Finding[]> {
  const { hosts } = hostListSchema.parse(await client.call('hosts.list', {}, context.signal))
  const asked = await Promise.all(hosts.map(async (entry) => await askHost(entry, client, context)))
  return [...asked.flatMap((host) => findingsOf(host, context))]
}

async function askHost(
  entry: HostEntry,
  client: GatewayClient,
  { clock, signal }: CommandContext,
): Promise<AskedHost> {
  if (entry.state !== 'ready') return { entry, status: null, skewMs: null }
  const params = { executionHostId: entry.executionHostId }
  const until = AbortSignal.any([signal, AbortSignal.timeout(askTimeoutMs)])
  const ask = async <Result>(method: string, read: (answer: unknown) => Result): Promise<Result | null> => {
    try {
      return read(await client.call(method, params, until))
    } catch (error) {
      if (signal.aborted) throw new TrawlError('cancelled', undefined, {}, error)
      return null
    }
  }
  await letCatchUp(client, entry.executionHostId, until).catch(() => {})
  const status = await ask('aiVault.searchStatus', (answer) => searchStatusSchema.parse(answer))
  const sentMs = clock.now()
  const timeMs = await ask('host.describe', (answer) => hostDescriptionSchema.parse(answer).timeMs ?? null)
  return { entry, status, skewMs: timeMs === null ? null : timeMs - (sentMs + clock.now()) / 2 }
}

function findingsOf({ entry, status, skewMs }: AskedHost, context: CommandContext): Finding[] {
  const id = entry.executionHostId
  const tell = (check: CheckId, state: CheckState, words: string): Finding => ({
    id: check,
    state,
    found: `${id}: ${words}`,
  })
  if (entry.state !== 'ready') {
    const why = [entry.reason, entry.detail].filter((part) => part !== undefined).join(': ')
    return [tell('hosts', 'problem', `${entry.state}${why === '' ? '' : ` (${why})`}.`)]
  }
  const isLeftAlone = entry.breaker !== undefined && entry.breaker !== 'closed'
  const findings = [
    isLeftAlone
      ? tell('hosts', 'problem', 'left alone after several failures, until it answers a ping.')
      : tell(
          'hosts',
          'ok',
          `reachable${entry.roundTripMs === null ? '' : `, ${sayDuration(entry.roundTripMs)} there and back`}.`,
        ),
    entry.version === null || entry.version === context.version
      ? tell('versions', 'ok', `${entry.version ?? 'not told'}.`)
      : tell('versions', 'warning', `its agent is ${entry.version}, this gateway ${context.version}.`),
  ]
  if (skewMs === null) findings.push(tell('clock', 'warning', 'it did not tell its time.'))
  else if (Math.abs(skewMs) > mostSkewMs)
    findings.push(
      tell(
        'clock',
        'problem',
        `its clock is ${sayDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead' : 'behind'}.`,
      ),
    )
  else findings.push(tell('clock', 'ok', 'as here.'))
  return [
    ...findings,
    ...(status === null
      ? [tell('index', 'problem', 'how its index is could not be asked.')]
      : indexFindings(status, tell, context)),
  ]
}

function indexFindings(
  status: SearchStatus,
  tell: (check: CheckId, state: CheckState, words: string) => Finding,
  { clock }: CommandContext,
): Finding[] {
  if (!status.enabled) return [tell('index', 'problem', 'search is switched off there, or not offered.')]
  const { filesIndexed, filesDue, filesFailed, degradedRoots, lastReconcileAt, generation } = status
  const held = `${count(filesIndexed, 'file')} indexed, ${filesDue} due, ${filesFailed} failed, generation ${generation}`
  const index =
    status.phase === 'closed'
      ? tell('index', 'problem', 'it is closed.')
      : tell('index', filesFailed > 0 || filesIndexed === 0 ? 'warning' : 'ok', `${held}.`)
  const ageMs = lastReconcileAt === null ? null : clock.now() - lastReconcileAt
  const looked =
    lastReconcileAt === null ? 'never looked' : `last look ${sayAgo(lastReconcileAt, clock.now())}`
  const isFresh = filesDue === 0 && ageMs !== null && ageMs < staleMs
  const roots = degradedRoots.map(({ root, reason }) =>
    root === undefined || reason.includes(root) ? reason : `${root}: ${reason}`,
  )
  return [
    index,
    tell(
      'freshness',
      isFresh ? 'ok' : 'warning',
      `${looked}${filesDue > 0 ? `, ${count(filesDue, 'file')} still to be read` : ''}.`,
    ),
    roots.length === 0
      ? tell('sources', 'ok', 'all that were found can be read.')
      : tell('sources', 'problem', `${roots.join('; ')}.`),
  ]
}
