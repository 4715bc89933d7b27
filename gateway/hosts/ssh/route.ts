/** Works out the hops to an SSH host from ProxyJump, and opens them one through the other. */
import { type ConnectOptions, connectSsh, type SshConnection } from './connect.ts'
import { unreachable } from './ssh-errors.ts'
import type { ResolveSshSettings, SshSettings } from './ssh-settings.ts'
import { parseSshTarget, type SshTarget } from './target.ts'

/** Servers on the way, the last one not counted. */
const maxJumps = 10

/**
 * The servers to go through, the target's own settings last. Every hop is looked up under its own name; the ProxyJump
 * of the first one is followed too, that of a later one is answered by the list it stands in (as in OpenSSH).
 * @throws TrawlError `unreachable` / `not-configured` for a loop or more than 10 hops.
 */
export async function planRoute(
  target: SshTarget,
  resolve: ResolveSshSettings,
): Promise<readonly SshSettings[]> {
  const last = await resolve(target)
  let route: SshSettings[] = [last]
  let pending = last.proxyJump
  while (pending.length > 0) {
    const hops: SshSettings[] = []
    for (const jump of pending) hops.push(await resolve(parseSshTarget(jump)))
    route = [...hops, ...route]
    requireStraight(route, target)
    pending = hops[0]?.proxyJump ?? []
  }
  return route
}

function requireStraight(route: readonly SshSettings[], target: SshTarget): void {
  const places = route.map(({ user, hostName, port }) => `${user}@${hostName}:${port}`)
  const twice = places.find((place, index) => places.indexOf(place) !== index)
  if (twice !== undefined) {
    throw unreachable('not-configured', `The way to ${target.text} goes through ${twice} twice (ProxyJump).`)
  }
  if (route.length > maxJumps + 1) {
    throw unreachable(
      'not-configured',
      `The way to ${target.text} takes more than ${maxJumps} jumps (ProxyJump).`,
    )
  }
}

/** The connections of a route, the last one first to be asked and the first one last to go. */
export interface SshRoute {
  readonly last: SshConnection
  /** The first error on the way, from the near end. */
  failure(): Error | null
  destroy(): Promise<void>
}

/** @throws what `connectSsh` throws; hops that were open by then are closed. */
export async function openRoute(
  route: readonly SshSettings[],
  options: Omit<ConnectOptions, 'settings' | 'via'>,
): Promise<SshRoute> {
  const opened: SshConnection[] = []
  const destroy = async () => {
    for (const connection of [...opened].reverse()) connection.destroy()
    await Promise.all(opened.map(({ closed }) => closed))
  }
  try {
    for (const settings of route) {
      opened.push(await connectSsh({ ...options, settings, via: opened.at(-1) ?? null }))
    }
    const last = opened.at(-1)
    if (last === undefined) throw new Error('a route has at least one server')
    const failure = () =>
      opened.map((connection) => connection.failure()).find((error) => error !== null) ?? null
    return { last, failure, destroy }
  } catch (thrown) {
    await destroy()
    throw thrown
  }
}
