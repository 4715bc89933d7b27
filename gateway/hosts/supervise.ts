/**
 * Keeps one host's link warm: connects, asks who is there, pings, and after a loss tries again with back-off.
 * A query never causes a connection: it uses the link as it is, and only a first attempt is waited for (wire.md §1).
 */
import { setMaxListeners } from 'node:events'
import type { Clock } from '../../protocol/clock.ts'
import { backOffMs, healthyAfterMs } from '../../protocol/link/back-off.ts'
import { openConnection, type RpcConnection } from '../../protocol/rpc/connection.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { type MessageChannel, maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import { Breaker } from './breaker.ts'
import type { HostCallOptions, HostKind, LinkReport } from './host.ts'
import type { KeptHost } from './kept-host.ts'
import {
  closeCodeOf,
  detailOf,
  isAnswer,
  isSilence,
  isTransportFailure,
  lossOf,
  reasonOf,
  timedOut,
} from './link-loss.ts'
import { LinkWatch } from './link-watch.ts'
import { askVersion, connectTimeoutMs, type OpenLink, openInTime, type TakeTurn } from './open-link.ts'
import { untilAborted, withDeadline } from './ssh/deadline.ts'

export interface SupervisedHostOptions {
  readonly id: string
  readonly kind: HostKind
  readonly label: string
  readonly open: OpenLink
  /** Waited for before each attempt, whose time begins after it; absent, nobody is in the way. */
  readonly takeTurn?: TakeTurn
  readonly clock: Clock
  /** A call that was given this long and got no answer is the host's failure; less is the caller's impatience. */
  readonly fairCallMs?: number
  /** In [0, 1). */
  random(): number
  createId(): string
  /** Every change of the link, for the log. `detail` may hold paths: debug level only. */
  onChange?(report: LinkReport): void
}

const defaultFairCallMs = 10_000
/** After a sleep everything is tried at once, and not all in the same moment. */
const wakeJitterMs = 1_000
/** Why a host with a link is not asked. */
const heldBack =
  'Its link is up, but calls in a row went unanswered. It is asked again once it has answered a ping.'

interface Link {
  readonly connection: RpcConnection
  readonly openedAtMs: number
  readonly watch: LinkWatch
}

export class SupervisedHost implements KeptHost {
  readonly id: string
  readonly kind: HostKind
  readonly label: string
  readonly #options: SupervisedHostOptions
  readonly #closing = new AbortController()
  /** The host is in the configuration no more: nobody waits any longer for what it may still say. */
  readonly #retiring = new AbortController()
  readonly #breaker = new Breaker()
  /** Settles when the first attempt has ended, one way or the other. */
  readonly firstAttempt: Promise<void>
  #firstAttemptEnded: () => void = () => {}
  #link: Link | null = null
  #report: LinkReport
  #failures = 0
  #stopRetry: () => void = () => {}
  #isConnecting = false
  #attempt: Promise<void> = Promise.resolve()

  constructor(options: SupervisedHostOptions) {
    this.id = options.id
    this.kind = options.kind
    this.label = options.label
    this.#options = options
    this.#report = {
      state: 'connecting',
      reason: 'connecting',
      retryAtMs: null,
      lastSeenAtMs: null,
      roundTripMs: null,
      version: null,
    }
    this.firstAttempt = new Promise((resolve) => {
      this.#firstAttemptEnded = resolve
    })
    // Each call that is out listens.
    setMaxListeners(0, this.#retiring.signal)
  }

  start(): void {
    this.#attempt = this.#connect()
  }

  /** The machine slept: a link has a moment to show that it is still there, and no wait goes on that began before. */
  wake(): void {
    if (this.#closing.signal.aborted) return
    this.#failures = 0
    if (this.#link !== null) void this.#link.watch.prove()
    else if (!this.#isConnecting) this.#retryIn(Math.floor(this.#options.random() * wakeJitterMs))
  }

  async retry(signal: AbortSignal): Promise<void> {
    if (this.#closing.signal.aborted) return
    const isWaiting = this.#link === null && !this.#isConnecting
    if (isWaiting) {
      this.#stopRetry()
      this.#attempt = this.#connect()
    }
    const outcome = this.#link?.watch.probe() ?? this.#attempt
    await untilAborted(signal, outcome).catch(() => {})
  }

  report(): LinkReport {
    const { state: breaker, reason, retryAtMs } = this.#breaker
    if (breaker === 'closed') return this.#report
    if (this.#link === null) return { ...this.#report, breaker }
    const { clock } = this.#options
    const leftMs = Math.max(retryAtMs - clock.monotonicMs(), 0)
    return { ...this.#report, breaker, reason, detail: heldBack, retryAtMs: Math.round(clock.now() + leftMs) }
  }

  async call(
    method: string,
    paramsFor: (leftMs: number) => unknown,
    { signal, timeoutMs }: HostCallOptions,
  ): Promise<unknown> {
    const startedMs = this.#options.clock.monotonicMs()
    if (this.#report.state === 'connecting') await this.#waitForFirstAttempt(timeoutMs, signal)
    const link = this.#link
    if (link === null || this.#breaker.state !== 'closed') throw this.#unreachable()
    const leftMs = timeoutMs - (this.#options.clock.monotonicMs() - startedMs)
    if (leftMs < 1) throw new TrawlError('timeout')
    try {
      const result = await untilAborted(
        this.#retiring.signal,
        link.connection.call(method, paramsFor(Math.floor(leftMs)), { timeoutMs: leftMs, signal }),
      )
      this.#heard(link)
      this.#breaker.answered()
      return result
    } catch (thrown) {
      const error = TrawlError.from(thrown)
      this.#judge(link, error, timeoutMs)
      if (error.code === 'unreachable' && this.#link === null && this.#report.reason !== undefined)
        throw this.#unreachable()
      throw error
    }
  }

  async retire(): Promise<void> {
    this.#report = { ...this.#report, state: 'quarantined', reason: 'not-configured', retryAtMs: null }
    this.#breaker.reset()
    this.#link?.watch.stop()
    const closing = this[Symbol.asyncDispose]()
    this.#retiring.abort(new TrawlError('unreachable', undefined, { reason: 'not-configured' }))
    await closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    this.#stopRetry()
    this.#firstAttemptEnded()
    const link = this.#link
    this.#link = null
    link?.watch.stop()
    await link?.connection.close().catch(() => {})
    await this.#attempt
  }

  async #connect(): Promise<void> {
    this.#breaker.beginProbe(Number.POSITIVE_INFINITY)
    this.#isConnecting = true
    try {
      const endTurn = await this.#options.takeTurn?.(this.#closing.signal)
      await this.#attemptOnce(endTurn ?? (() => {}))
      this.#isConnecting = false
    } catch (thrown) {
      this.#isConnecting = false
      this.#lost(thrown)
    } finally {
      this.#firstAttemptEnded()
    }
  }

  /** @param endTurn called when the channel is open, or will not be. */
  async #attemptOnce(endTurn: () => void): Promise<void> {
    const { clock } = this.#options
    const attempt = new AbortController()
    const stopTimer = clock.after(connectTimeoutMs, () => attempt.abort(new TrawlError('timeout')))
    const signal = AbortSignal.any([attempt.signal, this.#closing.signal])
    try {
      const startedMs = clock.monotonicMs()
      const channel = await openInTime(this.#options.open(signal), signal)
      endTurn()
      await this.#adopt(channel, signal, startedMs)
    } catch (thrown) {
      throw attempt.signal.aborted ? timedOut() : thrown
    } finally {
      endTurn()
      stopTimer()
    }
  }

  /** Makes a channel the host's link once the agent behind it has described itself. */
  async #adopt(channel: MessageChannel, signal: AbortSignal, startedMs: number): Promise<void> {
    const { clock } = this.#options
    let isAdopted = false
    const connection = openConnection(channel, {
      methods: new Map(),
      maxMessageBytes: maxPeerMessageBytes,
      createId: this.#options.createId,
      clock,
      onClosed: (cause) => {
        if (isAdopted && this.#link?.connection === connection) this.#lost(lossOf(this.kind, cause))
      },
    })
    try {
      const version = await askVersion(connection, signal)
      if (this.#closing.signal.aborted) throw new TrawlError('cancelled')
      isAdopted = true
      this.#breaker.reset()
      const link: Link = { connection, openedAtMs: clock.monotonicMs(), watch: this.#watch(connection) }
      this.#link = link
      this.#change({
        state: 'ready',
        retryAtMs: null,
        readyAtMs: clock.now(),
        lastSeenAtMs: clock.now(),
        roundTripMs: Math.round(clock.monotonicMs() - startedMs),
        version,
      })
    } finally {
      if (!isAdopted) await connection.close().catch(() => {})
    }
  }

  #watch(connection: RpcConnection): LinkWatch {
    return new LinkWatch({
      connection,
      breaker: this.#breaker,
      clock: this.#options.clock,
      signal: this.#closing.signal,
      onAnswer: (roundTripMs) => this.#sawAnswer(roundTripMs),
      onProbed: () => this.#options.onChange?.(this.report()),
      onDead: (error) => {
        this.#lost(error)
        connection.close().catch(() => {})
      },
    })
  }

  /** What a failed call says of the host. A lost link has been counted where it was noticed. */
  #judge(link: Link, error: TrawlError, timeoutMs: number): void {
    if (this.#link !== link) return
    if (isAnswer(error)) {
      this.#heard(link)
      this.#breaker.answered()
    }
    const { fairCallMs = defaultFairCallMs } = this.#options
    if (!isSilence(error) || timeoutMs < fairCallMs || this.#breaker.state !== 'closed') return
    this.#breaker.failed('timeout', this.#options.clock.monotonicMs())
    this.#options.onChange?.(this.report())
    link.watch.breakerOpened()
  }

  #heard(link: Link): void {
    link.watch.heard()
    this.#sawAnswer()
  }

  #sawAnswer(roundTripMs?: number): void {
    this.#report = {
      ...this.#report,
      lastSeenAtMs: this.#options.clock.now(),
      ...(roundTripMs === undefined ? {} : { roundTripMs: Math.round(roundTripMs * 10) / 10 }),
    }
  }

  /** Forgets the link, tells why, and arms the next attempt. */
  #lost(thrown: unknown): void {
    const link = this.#link
    this.#link = null
    link?.watch.stop()
    if (this.#closing.signal.aborted) return
    const { clock, random } = this.#options
    if (link !== null && clock.monotonicMs() - link.openedAtMs >= healthyAfterMs) this.#failures = 0
    this.#failures++
    const error = TrawlError.from(thrown)
    const reason = reasonOf(error)
    if (isTransportFailure(reason)) this.#breaker.failed(reason, clock.monotonicMs())
    else this.#breaker.reset()
    const closeCode = closeCodeOf(error.cause)
    const waitMs = backOffMs({
      failures: this.#failures,
      random: random(),
      ...(closeCode === null ? {} : { closeCode }),
    })
    this.#change({
      state: 'offline',
      reason,
      detail: detailOf(error),
      retryAtMs: clock.now() + waitMs,
      lastSeenAtMs: this.#report.lastSeenAtMs,
      roundTripMs: null,
      version: this.#report.version,
    })
    this.#retryIn(waitMs)
  }

  #retryIn(waitMs: number): void {
    this.#stopRetry()
    this.#stopRetry = this.#options.clock.after(waitMs, () => {
      this.#attempt = this.#connect()
    })
  }

  #change(report: LinkReport): void {
    this.#report = report
    this.#options.onChange?.(this.report())
  }

  #unreachable(): TrawlError {
    const { reason = 'offline', detail } = this.report()
    return new TrawlError('unreachable', undefined, { reason }, detail)
  }

  async #waitForFirstAttempt(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    await withDeadline(
      { clock, timeoutMs, signal, onExpired: () => this.#unreachable() },
      async (bounded) => await untilAborted(bounded, this.firstAttempt),
    )
  }
}
