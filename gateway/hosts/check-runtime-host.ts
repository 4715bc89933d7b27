/** Goes the whole way to a runtime host that listens, once, as the gateway would, and tells each step as it is done. */
import { lookup } from 'node:dns/promises'
import { connect } from 'node:net'
import type { Clock } from '../../protocol/clock.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { DialledRuntimeConfig } from '../config-hosts.ts'
import { type CheckStep, checkAgent, checkConnectMs, startSteps } from './check-agent.ts'
import { openRuntimeLink } from './runtime.ts'
import { untilAborted, withDeadline } from './ssh/deadline.ts'
import { unreachable } from './ssh/ssh-errors.ts'

export interface CheckRuntimeOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  createId(): string
  /** In order: `resolve`, `connect`, `host key` (over TLS), `login`, `agent`, `first query`. */
  onStep(step: CheckStep): void
}

/** @throws CheckFailure, its message saying what to do; nothing is left open in any case. */
export async function checkRuntimeHost(
  { url, token, pin }: DialledRuntimeConfig,
  { clock, signal, createId, onStep }: CheckRuntimeOptions,
): Promise<void> {
  const steps = startSteps(clock, onStep)
  const { protocol, hostname, port } = new URL(url)
  const isTls = protocol === 'wss:'
  const place = { name: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || (isTls ? 443 : 80) }
  const onExpired = () =>
    unreachable('timeout', `${place.name} port ${place.port} did not answer in time. ${remedyOf(place.port)}`)
  try {
    await withDeadline({ clock, timeoutMs: checkConnectMs, signal, onExpired }, async (bounded) => {
      const address = await untilAborted(bounded, resolve(place.name))
      steps.done(
        'resolve',
        `${place.name} port ${place.port}${address === place.name ? '' : ` (${address})`}`,
      )
      steps.current = 'connect'
      await tryPort(address, place.port, bounded)
      steps.done('connect', `${address} port ${place.port} is open`)
      steps.current = isTls ? 'host key' : 'login'
      const open = openRuntimeLink({
        url,
        token,
        ...(pin === undefined ? {} : { pin }),
        clock,
        onKeyChecked: () => {
          steps.done('host key', pin ?? 'a certificate this system trusts')
          steps.current = 'login'
        },
      })
      const channel = await open(bounded)
      steps.done('login', isTls ? 'the token was taken' : 'the token was taken, over a link without TLS')
      await checkAgent(channel, { steps, clock, signal, createId, sayHow: () => '' })
    })
  } catch (thrown) {
    throw steps.failure(thrown)
  }
}

async function resolve(name: string): Promise<string> {
  try {
    return (await lookup(name)).address
  } catch (cause) {
    const sentence = `No address is known for the name ${name}. Check the host's url, or the network.`
    throw unreachable('offline', sentence, cause)
  }
}

/** A connection of its own that says nothing: so it is told apart from what TLS and the token come to. */
async function tryPort(address: string, port: number, signal: AbortSignal): Promise<void> {
  const socket = connect({ host: address, port })
  try {
    await untilAborted(
      signal,
      new Promise<void>((open, fail) => {
        socket.once('connect', open)
        socket.on('error', fail)
      }),
    )
  } catch (cause) {
    if (cause instanceof TrawlError) throw cause
    const said = cause instanceof Error ? cause.message : 'no connection'
    throw unreachable('offline', `${said}. ${remedyOf(port)}`, cause)
  } finally {
    socket.destroy()
  }
}

function remedyOf(port: number): string {
  return `Is the agent running there, and port ${port} open to this machine? On that host: trawl-agent listen --listen 0.0.0.0:${port}`
}
