/** The state of a link as it is told to whoever watches it; once closed it stays so. */
import type { ClosedState, LinkState, LinkWatch } from './carrier.ts'

export class LinkStateCell implements LinkWatch {
  #state: LinkState
  #tellClosed: (state: ClosedState) => void = () => {}
  readonly #listeners = new Set<(state: LinkState) => void>()
  readonly closed: Promise<ClosedState>

  constructor(first: LinkState) {
    this.#state = first
    this.closed = new Promise((resolve) => {
      this.#tellClosed = resolve
    })
  }

  get state(): LinkState {
    return this.#state
  }

  set(state: LinkState): void {
    if (this.#state.kind === 'closed') return
    this.#state = state
    for (const listener of [...this.#listeners]) listener(state)
    if (state.kind === 'closed') this.#tellClosed(state)
  }

  onState(listener: (state: LinkState) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
