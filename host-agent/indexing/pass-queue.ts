/**
 * Runs one pass at a time. Who asks while one is running gets one that began after the question: between two files of the
 * one that runs, if that takes long.
 */
import type { Interlude } from './pass.ts'

export interface Passes {
  /** The interlude of either runs the bounded pass that was asked for meanwhile. */
  bounded(pass: BoundedPass, interlude: Interlude): Promise<void>
  sweep(interlude: Interlude): Promise<void>
}

export interface BoundedPass {
  /** Somebody waits for it. */
  readonly asked: boolean
}

export class PassQueue {
  readonly #passes: Passes
  #wantedBounded: Turn | null = null
  #wantedSweep: Turn | null = null
  #running: Promise<void> | null = null

  readonly #interlude: Interlude = {
    isWanted: () => this.#wantedBounded !== null,
    run: async () => await this.#runBounded(),
  }

  constructor(passes: Passes) {
    this.#passes = passes
  }

  /** @param asked whether somebody waits for it. @throws what the pass throws. */
  request(full: boolean, asked: boolean): Promise<void> {
    const turn = (full ? this.#wantedSweep : this.#wantedBounded) ?? new Turn()
    if (asked) turn.asked = true
    if (full) this.#wantedSweep = turn
    else this.#wantedBounded = turn
    this.#running ??= this.#run()
    return turn.done
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running
  }

  async #run(): Promise<void> {
    // Who asks in this very turn of the event loop shall share the pass.
    await Promise.resolve()
    while (this.#wantedBounded !== null || this.#wantedSweep !== null) {
      if (this.#wantedBounded !== null) await this.#runBounded()
      else await this.#runSweep()
    }
    this.#running = null
  }

  async #runBounded(): Promise<void> {
    const turn = this.#wantedBounded
    this.#wantedBounded = null
    await turn?.run(async () => await this.#passes.bounded({ asked: turn.asked }, this.#interlude))
  }

  async #runSweep(): Promise<void> {
    const turn = this.#wantedSweep
    this.#wantedSweep = null
    await turn?.run(async () => await this.#passes.sweep(this.#interlude))
  }
}

/** One pass to come, and everybody who waits for it. */
class Turn {
  readonly done: Promise<void>
  asked = false
  #resolve: () => void = () => undefined
  #reject: (reason: unknown) => void = () => undefined

  constructor() {
    this.done = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // Whoever waits hears of a failure; nobody has to wait.
    this.done.catch(() => undefined)
  }

  /** Never throws: the failure is the waiters'. */
  async run(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.#resolve()
    } catch (error) {
      this.#reject(error)
    }
  }
}
