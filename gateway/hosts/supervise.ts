/**
 * Keeps one host's link warm: connects, asks who is there, pings, and after a loss tries again with back-off.
 * A query never causes a connection: it uses the link as it is, and only a first attempt is waited for (wire.md §1).
 */
import type { Clock } from '../../protocol/clock.ts'
import { openConnection, type RpcConnection } from '../../protocol/rpc/connection.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import {
  livenessIntervalMs,
  type MessageChannel,
  maxPeerMessageBytes,
} from '../../protocol/rpc/message-channel.ts'
import { backOffMs, healthyAfterMs } from './back-off.ts'
import type { Host, HostCallOptions, HostKind, LinkReport } from './host.ts'
import { closeCodeOf, detailOf, lossOf, reasonOf, timedOut } from './link-loss.ts'
import { askVersion, connectTimeoutMs, type OpenLink, openInTime } from './open-link.ts'

export interface SupervisedHostOptions {
  readonly id: string
  readonly kind: HostKind
  readonly label: string
  readonly open: OpenLink
  readonly clock: Clock
  /** In [0, 1). */
  random(): number
  createId(): string
  /** Every change of the link, for the log. `detail` may hold paths: debug level only. */
  onChange?(report: LinkReport): void
}

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
  /** Settles when the first attempt has ended, one way or the other. */
  readonly firstAttempt: Promise<void>
  #firstAttemptEnded: () => void = () => {}
  #link: Link | null = null
  #report: LinkReport
  #failures = 0
  #stopRetry: () => void = () => {}
  #stopPing: () => void = () => {}
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

  report(): LinkReport {
    return this.#report
  }

  async call(
    method: string,
    paramsFor: (leftMs: number) => unknown,
    { signal, timeoutMs }: HostCallOptions,
  ): Promise<unknown> {
    const startedMs = this.#options.clock.monotonicMs()
    if (this.#report.state === 'connecting') await this.#waitForFirstAttempt(timeoutMs, signal)
    const link = this.#link
    if (link === null) throw this.#unreachable()
    const leftMs = timeoutMs - (this.#options.clock.monotonicMs() - startedMs)
    if (leftMs < 1) throw new TrawlError('timeout')
    try {
      const result = await link.connection.call(method, paramsFor(Math.floor(leftMs)), {
        timeoutMs: leftMs,
        signal,
      })
      this.#heard(link)
      return result
    } catch (thrown) {
      const error = TrawlError.from(thrown)
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
    const attempt = new AbortController()
    const stopTimer = clock.after(connectTimeoutMs, () => attempt.abort(new TrawlError('timeout')))
    const signal = AbortSignal.any([attempt.signal, this.#closing.signal])
    try {
      const startedMs = clock.monotonicMs()
      const channel = await openInTime(this.#options.open(signal), signal)
      await this.#adopt(channel, signal, startedMs)
    } catch (thrown) {
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
    this.#stopPing = this.#options.clock.after(livenessIntervalMs, () => {
      void this.#ping()
    })
  }

  /** A link is dead when two intervals pass and nothing came over it: one until the ping, one for its answer. */
  async #ping(): Promise<void> {
    const link = this.#link
    if (link === null) return
    const { clock } = this.#options
    const startedMs = clock.monotonicMs()
    try {
      await link.connection.call('$/ping', undefined, {
        timeoutMs: livenessIntervalMs,
        signal: this.#closing.signal,
      })
      this.#heard(link, clock.monotonicMs() - startedMs)
    } catch (thrown) {
      const isSilent = TrawlError.from(thrown).code === 'timeout' && link.heardAtMs <= startedMs
      if (isSilent && this.#link === link) {
        this.#lost(new TrawlError('unreachable', 'A ping went unanswered.', { reason: 'offline' }))
        await link.connection.close().catch(() => {})
        return
      }
    }
    if (this.#link === link && !this.#closing.signal.aborted) this.#schedulePing()
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
    const closeCode = closeCodeOf(error.cause)
    const waitMs = backOffMs({
      failures: this.#failures,
      random: random(),
      ...(closeCode === null ? {} : { closeCode }),
    })
    this.#change({
      state: 'offline',
      reason: reasonOf(error),
      detail: detailOf(error),
      retryAtMs: clock.now() + waitMs,
      lastSeenAtMs: this.#report.lastSeenAtMs,
      roundTripMs: null,
      version: this.#report.version,
    })
    this.#stopRetry = clock.after(waitMs, () => {
      this.#attempt = this.#connect()
    })
  }

  #change(report: LinkReport): void {
    this.#report = report
    this.#options.onChange?.(report)
  }

  #unreachable(): TrawlError {
    const { reason = 'offline', detail } = this.#report
    return new TrawlError('unreachable', undefined, { reason }, detail)
  }

  async #waitForFirstAttempt(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new TrawlError('cancelled')
    await new Promise<void>((resolve, reject) => {
      const finish = (settle: () => void) => {
        stopTimer()
        signal.removeEventListener('abort', onAbort)
        settle()
      }
      const onAbort = () => finish(() => reject(new TrawlError('cancelled')))
      const stopTimer = this.#options.clock.after(timeoutMs, () => finish(() => reject(this.#unreachable())))
      signal.addEventListener('abort', onAbort, { once: true })
      void this.firstAttempt.then(() => finish(resolve))
    })
  }
}
