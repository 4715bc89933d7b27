/**
 * Opens one authenticated SSH connection, straight or through the connection of the hop before. The server's key is
 * verified before anything of ours is offered. Whatever fails, nothing is left: no socket, no timer, no agent request.
 */
import { connect as connectTcp, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Client } from 'ssh2'
import ssh2 from 'ssh2'
import type { Clock } from '../../../protocol/clock.ts'
import { createAuthentication } from './authentication.ts'
import { untilAborted, withDeadline } from './deadline.ts'
import { describeKey, type HostKeyCheck, loadHostKeyCheck } from './host-key-check.ts'
import { recordHostKey } from './record-host-key.ts'
import { type ConnectStage, connectFailure, unreachable } from './ssh-errors.ts'
import type { SshSettings } from './ssh-settings.ts'

/** Node tries the addresses of a name in turn; its own 250 ms a piece would lose far hosts. */
const addressAttemptTimeoutMs = 2_500

export interface SshConnection {
  readonly client: Client
  readonly settings: SshSettings
  /** The first error of the connection, once it has one. */
  failure(): Error | null
  /** Settles when the connection is over and its socket is gone. */
  readonly closed: Promise<void>
  destroy(): void
}

export interface ConnectOptions {
  readonly settings: SshSettings
  /** The hop to go through, or null to go straight. */
  readonly via: SshConnection | null
  readonly clock: Clock
  /** Fires at the deadline, with the TrawlError to fail with as its reason. */
  readonly signal: AbortSignal
  /** Told as the attempt goes on, for the sentence of a timeout. */
  onStage(stage: ConnectStage): void
  /** Something the log should have, and nobody else. */
  onNote(note: string): void
  /** Told as each part is done, with what was found. May hold paths. */
  onFound?(part: FoundPart, what: string): void
}

export type FoundPart = 'connect' | 'host key' | 'login'

/** @throws TrawlError `unreachable` with a reason of wire.md §4, or `cancelled`. */
export async function connectSsh(options: ConnectOptions): Promise<SshConnection> {
  const { settings, signal, onStage } = options
  const check = await untilAborted(signal, loadHostKeyCheck(settings))
  let stage: ConnectStage = 'connecting'
  const enter = (next: ConnectStage) => {
    stage = next
    onStage(next)
  }
  enter('connecting')
  const place = placeOf(settings)
  try {
    const attempt = await withConnectTimeout(options, async (bounded) => {
      const transport = await openTransport(options, bounded)
      options.onFound?.('connect', placeOf(settings))
      enter('greeting')
      const started = startClient(transport, check, options)
      try {
        await untilAborted(bounded, started.greeted)
        return started
      } catch (thrown) {
        await abandon(started.connection, options)
        throw thrown
      }
    })
    options.onFound?.('host key', attempt.shownKey())
    enter('logging in')
    try {
      await untilAborted(signal, attempt.loggedIn)
      options.onFound?.('login', attempt.loggedInAs())
      return attempt.connection
    } catch (thrown) {
      await abandon(attempt.connection, options)
      throw thrown
    }
  } catch (thrown) {
    throw connectFailure(thrown, place, stage)
  }
}

/** A connection inside another one is gone for sure only when that one is, which its owner sees to. */
async function abandon(connection: SshConnection, { via }: ConnectOptions): Promise<void> {
  connection.destroy()
  if (via === null) await connection.closed
}

/** ConnectTimeout bounds the way up to the server's verified greeting; the caller's deadline bounds all. */
function withConnectTimeout<T>(
  options: ConnectOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { settings, clock, signal } = options
  const timeoutMs = settings.connectTimeoutMs
  if (timeoutMs === null) return work(signal)
  const sentence = `${placeOf(settings)} did not answer within its ConnectTimeout of ${timeoutMs / 1000} s.`
  return withDeadline({ clock, timeoutMs, signal, onExpired: () => unreachable('timeout', sentence) }, work)
}

async function openTransport({ settings, via }: ConnectOptions, signal: AbortSignal): Promise<Duplex> {
  if (via === null) return await openSocket(settings, signal)
  const opened = new Promise<Duplex>((resolve, reject) => {
    via.client.forwardOut('127.0.0.1', 0, settings.hostName, settings.port, (error, stream) => {
      if (error) reject(error)
      else if (signal.aborted) stream.destroy()
      else resolve(stream)
    })
  })
  try {
    return await untilAborted(signal, opened)
  } catch (thrown) {
    if (signal.aborted) throw thrown
    const sentence = `${via.settings.target.text} could not pass the connection on to ${placeOf(settings)}.`
    throw unreachable('offline', sentence, thrown)
  }
}

async function openSocket(
  { hostName, port, addressFamily }: SshSettings,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connectTcp({
    host: hostName,
    port,
    family: addressFamily,
    noDelay: true,
    autoSelectFamily: addressFamily === 0,
    autoSelectFamilyAttemptTimeout: addressAttemptTimeoutMs,
  })
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const connected = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    // Stays: a socket's error without a listener would end the process.
    socket.on('error', reject)
  })
  try {
    await untilAborted(signal, connected)
    return socket
  } catch (thrown) {
    socket.destroy()
    await closed
    throw thrown
  }
}

interface StartedClient {
  readonly connection: SshConnection
  /** Resolves when keys are exchanged and the server's is the right one. */
  readonly greeted: Promise<void>
  readonly loggedIn: Promise<void>
  /** The server's key, once it has greeted. */
  shownKey(): string
  /** Whose login, and with which key. */
  loggedInAs(): string
}

function startClient(transport: Duplex, check: HostKeyCheck, options: ConnectOptions): StartedClient {
  const { settings } = options
  const client = new ssh2.Client()
  let failure: Error | null = null
  let reject: (error: Error) => void = () => {}
  const failed = new Promise<never>((_, rejectFailed) => {
    reject = rejectFailed
  })
  const fail = (error: Error) => {
    failure ??= error
    reject(error)
  }
  const authentication = createAuthentication(settings, fail)
  const verifier = createVerifier(check, client, options, fail)
  const greeted = Promise.race([
    new Promise<void>((resolve) => client.once('handshake', () => resolve())),
    failed,
  ])
  const loggedIn = Promise.race([new Promise<void>((resolve) => client.once('ready', resolve)), failed])
  // Which of them is waited for depends on how far the attempt gets.
  for (const promise of [failed, greeted, loggedIn]) promise.catch(() => {})
  const closed = new Promise<void>((resolve) => {
    client.once('close', () => {
      authentication[Symbol.dispose]()
      reject(closedEarly())
      resolve()
    })
  })
  // Stays for good: ssh2 raises errors after `end()`, too.
  client.on('error', (error) => {
    // ssh2 tells of a key that could not sign in this way, and goes on with the next.
    const { level } = error
    if (level === 'agent' || level === 'client-authentication') options.onNote(error.message)
    else fail(error)
  })
  const destroy = () => {
    authentication[Symbol.dispose]()
    client.destroy()
    transport.destroy()
  }
  try {
    client.connect({
      sock: transport,
      username: settings.user,
      readyTimeout: 0,
      keepaliveInterval: settings.keepAlive.intervalMs,
      keepaliveCountMax: settings.keepAlive.countMax,
      algorithms: { serverHostKey: [...check.algorithms] },
      hostVerifier: verifier.verify,
      authHandler: authentication.handler,
    })
  } catch (thrown) {
    transport.destroy()
    throw thrown
  }
  client.setNoDelay(true)
  return {
    connection: { client, settings, failure: () => failure, closed, destroy },
    greeted,
    loggedIn,
    shownKey: () => verifier.accepted() ?? 'no key',
    loggedInAs: () => `${settings.user} with ${authentication.lastTried() ?? 'no key'}`,
  }
}

/**
 * ssh2 asks before it has checked that the server holds the key, so a new key goes on record only after the handshake.
 * It asks again whenever keys are renewed; then only the same key will do.
 */
function createVerifier(
  check: HostKeyCheck,
  client: Client,
  { settings, onNote }: ConnectOptions,
  fail: (error: Error) => void,
): { verify(key: Buffer): boolean; accepted(): string | null } {
  let accepted: Buffer | null = null
  const verify = (shown: Buffer) => {
    const key = Buffer.from(shown)
    if (accepted !== null) return accepted.equals(key)
    const verdict = check.verify(key)
    if (verdict.kind === 'refused') {
      fail(verdict.error)
      return false
    }
    accepted = key
    const [file] = settings.userKnownHostsFiles
    if (verdict.kind === 'accepted' && verdict.isRecorded && file !== undefined) {
      client.once('handshake', () => {
        recordHostKey({ file, name: check.name, key, isHashed: settings.hashKnownHosts }).then(
          () => onNote(`The key of ${settings.target.text} is new and was added to ${file}.`),
          (cause: unknown) =>
            onNote(`The new key of ${settings.target.text} was not added to ${file}: ${cause}`),
        )
      })
    }
    return true
  }
  return { verify, accepted: () => (accepted === null ? null : describeKey(accepted)) }
}

function closedEarly(): Error {
  return Object.assign(new Error('the connection was closed'), { code: 'EPIPE' })
}

export function placeOf({ target, hostName, port }: SshSettings): string {
  const address = port === 22 ? hostName : `${hostName} port ${port}`
  return target.text === hostName ? address : `${target.text} (${address})`
}
