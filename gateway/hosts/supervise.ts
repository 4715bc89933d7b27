/**
 * Keeps one host's link warm: connects, asks who is there, pings, and after a loss tries again with back-off.
 * A query never causes a connection: it uses the link as it is, and only a first attempt is waited for (wire.md §1).
 */
import type { Clock } from '../../protocol/clock.ts'
import { backOffMs, healthyAfterMs } from '../../protocol/link/back-off.ts'
import { openConnection, type RpcConnection } from '../../protocol/rpc/connection.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import {
  livenessIntervalMs,
  type MessageChannel,
  maxPeerMessageBytes,
} from '../../protocol/rpc/message-channel.ts'
import { Breaker } from './breaker.ts'
import type { Host, HostCallOptions, HostKind, LinkReport } from './host.ts'
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
import { askVersion, connectTimeoutMs, type OpenLink, openInTime } from './open-link.ts'
import { untilAborted, withDeadline } from './ssh/deadline.ts'

export interface SupervisedHostOptions {
  readonly id: string
  readonly kind: HostKind
  readonly label: string
  readonly open: OpenLink
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
/** What a link that outlived a sleep has to answer in. */
const wakePingTimeoutMs = 3_000
/** After a sleep everything is tried at once, and not all in the same moment. */
const wakeJitterMs = 1_000
/** Why a host with a link is not asked. */
const heldBack =
  'Its link is up, but calls in a row went unanswered. It is asked again once it has answered a ping.'

interface Link {
  readonly connection: RpcConnection
  readonly openedAtMs: number
  /** Monotonic time of the last answer. */
  heardAtMs: number
}

export class SupervisedHost implements Host, AsyncDisposable {
  readonly id: string
  readonly kind: HostKind
  readonly label: string
  readonly #options: SupervisedHostOptions
  readonly #closing = new AbortController()
  readonly #breaker = new Breaker()
  /** Settles when the first attempt has ended, one way or the other. */
  readonly firstAttempt: Promise<void>
  #firstAttemptEnded: () => void = () => {}
  #link: Link | null = null
  #report: LinkReport
  #failures = 0
  #stopRetry: () => void = () => {}
  #stopPing: () => void = () => {}
  #isPinging = false
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
  }

  start(): void {
    this.#attempt = this.#connect()
  }

  /** The machine slept: a link has a moment to show that it is still there, and no wait goes on that began before. */
  wake(): void {
    if (this.#closing.signal.aborted) return
    this.#failures = 0
    if (this.#link !== null) void this.#proveLink(this.#link)
    else if (!this.#isConnecting) this.#retryIn(Math.floor(this.#options.random() * wakeJitterMs))
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
      const result = await link.connection.call(method, paramsFor(Math.floor(leftMs)), {
        timeoutMs: leftMs,
        signal,
      })
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

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    this.#stopRetry()
    this.#stopPing()
    this.#firstAttemptEnded()
    const link = this.#link
    this.#link = null
    await link?.connection.close().catch(() => {})
    await this.#attempt
  }

  async #connect(): Promise<void> {
    const { clock } = this.#options
    this.#breaker.beginProbe(Number.POSITIVE_INFINITY)
    const attempt = new AbortController()
    this.#isConnecting = true
    const stopTimer = clock.after(connectTimeoutMs, () => attempt.abort(new TrawlError('timeout')))
    const signal = AbortSignal.any([attempt.signal, this.#closing.signal])
    try {
      const startedMs = clock.monotonicMs()
      const channel = await openInTime(this.#options.open(signal), signal)
      await this.#adopt(channel, signal, startedMs)
      this.#isConnecting = false
    } catch (thrown) {
      this.#isConnecting = false
      this.#lost(attempt.signal.aborted ? timedOut() : thrown)
    } finally {
      stopTimer()
      this.#firstAttemptEnded()
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
      const nowMs = clock.monotonicMs()
      this.#link = { connection, openedAtMs: nowMs, heardAtMs: nowMs }
      this.#change({
        state: 'ready',
        retryAtMs: null,
        lastSeenAtMs: clock.now(),
        roundTripMs: Math.round(clock.monotonicMs() - startedMs),
        version,
      })
      this.#schedulePing()
    } finally {
      if (!isAdopted) await connection.close().catch(() => {})
    }
  }

  #schedulePing(): void {
    const { state, retryAtMs } = this.#breaker
    const untilRetryMs = retryAtMs - this.#options.clock.monotonicMs()
    const waitMs = state === 'closed' ? livenessIntervalMs : Math.min(livenessIntervalMs, untilRetryMs)
    this.#stopPing = this.#options.clock.after(Math.max(waitMs, 0), () => {
      void this.#ping()
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
    this.#tellBreaker()
  }

  /** The ping that may close the breaker is due at its time. */
  #tellBreaker(): void {
    this.#options.onChange?.(this.report())
    if (this.#isPinging) return
    this.#stopPing()
    this.#schedulePing()
  }

  /** A link is dead when two intervals pass and nothing came over it: one until the ping, one for its answer. */
  async #ping(): Promise<void> {
    const link = this.#link
    if (link === null) return
    const { clock } = this.#options
    const startedMs = clock.monotonicMs()
    const isProbe = this.#breaker.beginProbe(startedMs)
    this.#isPinging = true
    const isAnswered = await this.#isPingAnswered(link.connection)
    this.#isPinging = false
    if (this.#link !== link || this.#closing.signal.aborted) return
    if (isAnswered) {
      this.#heard(link, clock.monotonicMs() - startedMs)
      if (isProbe) {
        this.#breaker.probeAnswered()
        this.#options.onChange?.(this.report())
      }
      this.#schedulePing()
    } else if (link.heardAtMs > startedMs) {
      // Something came, though not this answer. Asked again at once: the two intervals began when that came.
      if (isProbe) this.#breaker.probeFailed(clock.monotonicMs())
      void this.#ping()
    } else {
      this.#lost(new TrawlError('unreachable', 'A ping went unanswered.', { reason: 'offline' }))
      await link.connection.close().catch(() => {})
    }
  }

  /** Any answer will do, an error too. */
  async #isPingAnswered(connection: RpcConnection, timeoutMs = livenessIntervalMs): Promise<boolean> {
    try {
      await connection.call('$/ping', undefined, {
        timeoutMs,
        signal: this.#closing.signal,
      })
      return true
    } catch (thrown) {
      return isAnswer(TrawlError.from(thrown))
    }
  }

  async #proveLink(link: Link): Promise<void> {
    const startedMs = this.#options.clock.monotonicMs()
    const isThere = await this.#isPingAnswered(link.connection, wakePingTimeoutMs)
    if (isThere || this.#link !== link || link.heardAtMs > startedMs) return
    this.#lost(new TrawlError('unreachable', 'The link did not outlive a sleep.', { reason: 'offline' }))
    await link.connection.close().catch(() => {})
  }

  #heard(link: Link, roundTripMs?: number): void {
    link.heardAtMs = this.#options.clock.monotonicMs()
    this.#report = {
      ...this.#report,
      lastSeenAtMs: this.#options.clock.now(),
      ...(roundTripMs === undefined ? {} : { roundTripMs: Math.round(roundTripMs * 10) / 10 }),
    }
  }

  /** Forgets the link, tells why, and arms the next attempt. */
  #lost(thrown: unknown): void {
    this.#stopPing()
    const link = this.#link
    this.#link = null
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
