/**
 * The page's link to the gateway it came from: keeps the token where it belongs, lets in, makes a lost link again, and
 * says at any time how it stands.
 */
import { type ClientOptions, type LinkState, open, type TrawlClient } from '../client/browser.ts'

const tokenKey = 'trawl.token'
const goneSentence = 'The gateway cannot be reached. Start it on its machine: trawl serve'

export type LinkView =
  /** Without a token that is good. */
  | { readonly kind: 'outside'; readonly trouble: string | null; readonly revoked: boolean }
  /** The client stays the same over every loss of the link. */
  | { readonly kind: 'inside'; readonly client: TrawlClient; readonly state: LinkState }

/** What a token is kept in. */
export type TokenStore = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

export interface LinkPorts {
  /** `ws:` or `wss:`. */
  readonly url: string
  /** Forgotten with the tab: for the token of this machine, which somebody typed. */
  readonly tabStore: TokenStore
  /** For what pairing gave to this browser. */
  readonly browserStore: TokenStore
  readonly openClient?: (options: ClientOptions) => TrawlClient
}

export interface Link {
  readonly view: LinkView
  /** Called at every change from now on. @returns how to stop that. */
  onChange(listener: () => void): () => void
  /** With a token that somebody typed. */
  enter(token: string): void
  /** With what pairing gave. */
  keep(token: string): void
}

export function createLink(ports: LinkPorts): Link {
  const { url, tabStore, browserStore, openClient = open } = ports
  const listeners = new Set<() => void>()
  let view: LinkView = { kind: 'outside', trouble: null, revoked: false }
  let attempt = 0

  function show(next: LinkView): void {
    view = next
    for (const listener of [...listeners]) listener()
  }

  /** @param isTyped such a token is kept once it is known to be good, and is asked for again where nothing answers. */
  function openWith(token: string, store: TokenStore, isTyped: boolean): void {
    const mine = ++attempt
    const client = openClient({ url, token })
    let wasReady = false
    const take = (state: LinkState) => {
      if (mine !== attempt) return
      if (state.kind === 'ready' && !wasReady) {
        wasReady = true
        store.setItem(tokenKey, token)
      }
      if (state.kind === 'closed') {
        store.removeItem(tokenKey)
        const revoked = state.why === 'revoked' || (!isTyped && state.why === 'unauthorized')
        show({ kind: 'outside', trouble: revoked ? null : (state.error?.message ?? goneSentence), revoked })
      } else if (state.kind === 'offline' && isTyped && !wasReady) {
        attempt++
        void client.close()
        show({ kind: 'outside', trouble: goneSentence, revoked: false })
      } else if (wasReady || !isTyped) show({ kind: 'inside', client, state })
    }
    client.onState(take)
    take(client.state)
  }

  const kept = tabStore.getItem(tokenKey) === null ? browserStore : tabStore
  const token = kept.getItem(tokenKey)
  if (token !== null) openWith(token, kept, false)

  return {
    get view() {
      return view
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    enter: (typed) => openWith(typed, tabStore, true),
    keep: (given) => openWith(given, browserStore, false),
  }
}
