/**
 * A runtime host behind NAT: its agent dials in, and the gateway asks over what came. The newest link to the host
 * replaces the older one, once its agent has described itself; nothing is dialled, and nothing retried, from here.
 */
import type { Clock } from '../../protocol/clock.ts'
import {
  removedCloseCode,
  replacedCloseCode,
  serviceRestartCloseCode,
} from '../../protocol/link/pairing-messages.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { MessageChannel } from '../../protocol/rpc/message-channel.ts'
import type { HostCallOptions, LinkReport } from './host.ts'
import type { KeptHost } from './kept-host.ts'
import { untilAborted, withDeadline } from './ssh/deadline.ts'
import { SupervisedHost } from './supervise.ts'

/** An agent that was there when the gateway was started again is back within this. */
const firstArrivalMs = 5_000
const notHere = 'Its agent has not dialled in. On that host: trawl-agent connect'
const noDoor = 'Its agent cannot dial in: no door for agents is open. Start trawl serve, anew if it runs'

/** A link that came in, authenticated. */
export interface Arrival {
  readonly channel: MessageChannel
  /** Ends it with a reason that its agent can act on (a WebSocket close code). */
  dismiss(closeCode: number, reason: string): void
}

export interface DialInHostOptions {
  readonly id: string
  readonly label: string
  readonly clock: Clock
  /** As for any supervised host. */
  readonly fairCallMs?: number
  /** False where no door is open for agents: then there is nothing to wait for. */
  readonly isDoorOpen: boolean
  createId(): string
  onChange?(report: LinkReport): void
}

interface Link {
  readonly host: SupervisedHost
  readonly arrival: Arrival
}

export class DialInHost implements KeptHost {
  readonly kind = 'runtime'
  readonly id: string
  readonly label: string
  readonly firstAttempt: Promise<void>
  readonly #options: DialInHostOptions
  #firstAttemptEnded: () => void = () => {}
  #stopWaiting: () => void = () => {}
  #current: Link | null = null
  /** Came, and has not described itself yet. */
  #coming: Link | null = null
  #isClosed = false
  #absence: LinkReport = {
    state: 'connecting',
    reason: 'connecting',
    retryAtMs: null,
    lastSeenAtMs: null,
    roundTripMs: null,
    version: null,
  }

  constructor(options: DialInHostOptions) {
    this.id = options.id
    this.label = options.label
    this.#options = options
    this.firstAttempt = new Promise((resolve) => {
      this.#firstAttemptEnded = resolve
    })
  }

  start(): void {
    const giveUp = () => {
      const detail = this.#options.isDoorOpen ? notHere : noDoor
      if (this.#absence.state === 'connecting') this.#absent({ ...this.#absence, detail })
      this.#firstAttemptEnded()
    }
    if (this.#options.isDoorOpen) this.#stopWaiting = this.#options.clock.after(firstArrivalMs, giveUp)
    else giveUp()
  }

  wake(): void {
    this.#current?.host.wake()
  }

  async retry(signal: AbortSignal): Promise<void> {
    await this.#current?.host.retry(signal)
  }

  report(): LinkReport {
    return this.#current?.host.report() ?? this.#absence
  }

  /** The agent has dialled in. One that is still on its way gives up its place, too. */
  arrive(arrival: Arrival): void {
    if (this.#isClosed) {
      void arrival.channel.close().catch(() => {})
      return
    }
    let channel: MessageChannel | null = arrival.channel
    const { fairCallMs } = this.#options
    const host = new SupervisedHost({
      ...(fairCallMs === undefined ? {} : { fairCallMs }),
      id: this.id,
      kind: 'runtime',
      label: this.label,
      clock: this.#options.clock,
      random: () => 0,
      createId: this.#options.createId,
      // There is one channel in an arrival, and no way to a second.
      open: async () => {
        const opened = channel
        channel = null
        if (opened !== null) return opened
        throw new TrawlError('unreachable', notHere, { reason: 'offline' })
      },
      onChange: (report) => this.#changed(link, report),
    })
    const link = { host, arrival }
    const older = this.#coming
    this.#coming = link
    if (older !== null) this.#replace(older)
    host.start()
  }

  async call(
    method: string,
    paramsFor: (leftMs: number) => unknown,
    options: HostCallOptions,
  ): Promise<unknown> {
    const { clock } = this.#options
    const startedMs = clock.monotonicMs()
    if (this.report().state === 'connecting') await this.#waitForFirst(options)
    const link = this.#current
    if (link === null) throw this.#unreachable()
    const timeoutMs = options.timeoutMs - (clock.monotonicMs() - startedMs)
    if (timeoutMs < 1) throw new TrawlError('timeout')
    return await link.host.call(method, paramsFor, { ...options, timeoutMs })
  }

  async retire(): Promise<void> {
    this.#absence = { ...this.report(), state: 'quarantined', reason: 'not-configured', retryAtMs: null }
    const links = this.#giveUpLinks()
    for (const link of links) link.arrival.dismiss(removedCloseCode, 'this host was removed from the gateway')
    await Promise.all(links.map(({ host }) => host.retire()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const links = this.#giveUpLinks()
    // Its agent is to come back, after the moment a restart takes.
    for (const link of links) link.arrival.dismiss(serviceRestartCloseCode, 'the gateway is shutting down')
    await Promise.all(links.map(({ host }) => host[Symbol.asyncDispose]()))
  }

  #giveUpLinks(): Link[] {
    const links = [this.#current, this.#coming].filter((link) => link !== null)
    this.#isClosed = true
    this.#current = null
    this.#coming = null
    this.#stopWaiting()
    this.#firstAttemptEnded()
    return links
  }

  #changed(link: Link, report: LinkReport): void {
    if (link !== this.#current && link !== this.#coming) return
    if (report.state === 'ready') {
      if (link === this.#coming) this.#settle(link)
      this.#options.onChange?.(report)
      return
    }
    // The supervisor would try again; what it has lost cannot be dialled from here.
    queueMicrotask(() => void link.host[Symbol.asyncDispose]())
    if (link === this.#coming) this.#coming = null
    if (link !== this.#current) return
    this.#current = null
    this.#absent(report)
  }

  #settle(link: Link): void {
    const older = this.#current
    this.#coming = null
    this.#current = link
    this.#stopWaiting()
    this.#firstAttemptEnded()
    if (older !== null) this.#replace(older)
  }

  #replace(older: Link): void {
    older.arrival.dismiss(replacedCloseCode, 'a newer link to this host came in')
    void older.host[Symbol.asyncDispose]()
  }

  #absent({ reason, readyAtMs: _, ...report }: LinkReport): void {
    this.#absence = {
      ...report,
      state: 'offline',
      reason: reason === undefined || reason === 'connecting' ? 'offline' : reason,
      retryAtMs: null,
      roundTripMs: null,
    }
    this.#options.onChange?.(this.#absence)
  }

  #unreachable(): TrawlError {
    const { reason = 'offline', detail } = this.report()
    return new TrawlError('unreachable', undefined, { reason }, detail)
  }

  async #waitForFirst({ timeoutMs, signal }: HostCallOptions): Promise<void> {
    await withDeadline(
      { clock: this.#options.clock, timeoutMs, signal, onExpired: () => this.#unreachable() },
      async (bounded) => await untilAborted(bounded, this.firstAttempt),
    )
  }
}
