/** Watches one link of a host: a ping each interval, sooner where one may close the breaker, and at once after a sleep. */
import type { Clock } from '../../protocol/clock.ts'
import type { RpcConnection } from '../../protocol/rpc/connection.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { livenessIntervalMs } from '../../protocol/rpc/message-channel.ts'
import type { Breaker } from './breaker.ts'
import { isAnswer } from './link-loss.ts'

/** What a link that outlived a sleep has to answer in. */
const wakePingTimeoutMs = 3_000

export interface LinkWatchOptions {
  readonly connection: RpcConnection
  readonly breaker: Breaker
  readonly clock: Clock
  /** Fires when the host is given up, and nothing of it matters any more. */
  readonly signal: AbortSignal
  /** A ping was answered. */
  onAnswer(roundTripMs: number): void
  /** That answer was the one the breaker waited for. */
  onProbed(): void
  /** Two intervals passed and nothing came; or a sleep was not outlived. Called once. */
  onDead(error: TrawlError): void
}

export class LinkWatch {
  readonly #options: LinkWatchOptions
  /** Monotonic time of the last answer. */
  #heardAtMs: number
  #stopPing: () => void = () => {}
  #isPinging = false
  #isOver = false

  /** Begins to watch. */
  constructor(options: LinkWatchOptions) {
    this.#options = options
    this.#heardAtMs = options.clock.monotonicMs()
    this.#schedule()
  }

  heard(): void {
    this.#heardAtMs = this.#options.clock.monotonicMs()
  }

  /** The breaker opened: the ping that may close it is due at its time. */
  breakerOpened(): void {
    if (this.#isPinging || this.#isOver) return
    this.#stopPing()
    this.#schedule()
  }

  /** The machine slept: the link has a moment to show that it is still there. */
  async prove(): Promise<void> {
    const startedMs = this.#options.clock.monotonicMs()
    const isThere = await this.#isPingAnswered(wakePingTimeoutMs)
    if (!isThere && this.#heardAtMs <= startedMs) this.#dead('The link did not outlive a sleep.')
  }

  /** Pings now. Whatever the breaker's time, an answer closes it. */
  async probe(): Promise<void> {
    if (this.#isPinging || this.#isOver) return
    this.#stopPing()
    await this.#ping(Number.POSITIVE_INFINITY)
  }

  stop(): void {
    this.#isOver = true
    this.#stopPing()
  }

  #schedule(): void {
    const { breaker, clock } = this.#options
    const untilRetryMs = breaker.retryAtMs - clock.monotonicMs()
    const waitMs =
      breaker.state === 'closed' ? livenessIntervalMs : Math.min(livenessIntervalMs, untilRetryMs)
    this.#stopPing = clock.after(Math.max(waitMs, 0), () => {
      void this.#ping()
    })
  }

  /** A link is dead when two intervals pass and nothing came over it: one until the ping, one for its answer. */
  async #ping(probeMs = this.#options.clock.monotonicMs()): Promise<void> {
    const { breaker, clock } = this.#options
    const startedMs = clock.monotonicMs()
    const isProbe = breaker.beginProbe(probeMs)
    this.#isPinging = true
    const isAnswered = await this.#isPingAnswered(livenessIntervalMs)
    this.#isPinging = false
    if (this.#isOver) return
    if (isAnswered) {
      this.heard()
      this.#options.onAnswer(clock.monotonicMs() - startedMs)
      if (isProbe) {
        breaker.probeAnswered()
        this.#options.onProbed()
      }
      this.#schedule()
    } else if (this.#heardAtMs > startedMs) {
      // Something came, though not this answer. Asked again at once: the two intervals began when that came.
      if (isProbe) breaker.probeFailed(clock.monotonicMs())
      void this.#ping()
    } else this.#dead('A ping went unanswered.')
  }

  /** Any answer will do, an error too. */
  async #isPingAnswered(timeoutMs: number): Promise<boolean> {
    const { connection, signal } = this.#options
    try {
      await connection.call('$/ping', undefined, { timeoutMs, signal })
      return true
    } catch (thrown) {
      return isAnswer(TrawlError.from(thrown))
    }
  }

  #dead(sentence: string): void {
    if (this.#isOver) return
    this.stop()
    this.#options.onDead(new TrawlError('unreachable', sentence, { reason: 'offline' }))
  }
}
