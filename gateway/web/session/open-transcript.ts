/** Reads one session, around a message or from its head, and further at both ends; says at any time how that stands. */
import type { ReadSessionResponse, TrawlClient } from '../../client/browser.ts'
import { sayRefused, sayTrouble, type Trouble } from './session-trouble.ts'
import {
  cursorAt,
  type Direction,
  firstPages,
  messagesOf,
  pageMessages,
  type SessionPage,
  type TranscriptPages,
  withPage,
} from './transcript-pages.ts'

export interface SessionName {
  readonly executionHostId: string
  readonly agent: string
  readonly sessionId: string
}

export type Edge =
  | { readonly kind: 'more' | 'reading' | 'end' }
  | { readonly kind: 'trouble'; readonly trouble: Trouble }

export type TranscriptView =
  | { readonly kind: 'reading' }
  | { readonly kind: 'trouble'; readonly trouble: Trouble }
  | {
      readonly kind: 'shown'
      readonly pages: TranscriptPages
      readonly edges: Readonly<Record<Direction, Edge>>
    }

export interface TranscriptReader extends Disposable {
  readonly view: TranscriptView
  /** Called before each change is shown, and after. @returns how to stop that. */
  onChange(listener: () => void): () => void
  /** Anew. @param around null for the head. */
  read(around: number | null): Promise<void>
  /** Beyond the end of what is there, which may have grown since. @returns whether messages came. */
  more(direction: Direction): Promise<boolean>
}

export function openTranscript(
  client: TrawlClient,
  session: SessionName,
  around: number | null,
): TranscriptReader {
  const listeners = new Set<() => void>()
  let leaving = new AbortController()
  let view: TranscriptView = { kind: 'reading' }
  let place = around

  function show(next: TranscriptView): void {
    view = next
    for (const listener of [...listeners]) listener()
  }

  async function ask(where: object, signal: AbortSignal): Promise<SessionPage | Trouble> {
    let answer: ReadSessionResponse
    try {
      answer = await client.readSession({ ...session, limit: pageMessages, ...where }, { signal })
    } catch (thrown) {
      return sayTrouble(thrown, session, client.state)
    }
    return answer.kind === 'messages' ? answer : sayRefused(answer, session)
  }

  async function read(anew: number | null): Promise<void> {
    leaving.abort()
    leaving = new AbortController()
    const { signal } = leaving
    place = anew
    show({ kind: 'reading' })
    const page = await ask(anew === null ? {} : { around: anew }, signal)
    if (signal.aborted) return
    if (page.kind !== 'messages') return show({ kind: 'trouble', trouble: page })
    show(shown(firstPages(page)))
  }

  async function more(direction: Direction): Promise<boolean> {
    const { signal } = leaving
    if (view.kind !== 'shown' || view.edges[direction].kind === 'reading') return false
    const { pages, edges } = view
    show({ ...view, edges: { ...edges, [direction]: { kind: 'reading' } } })
    const cursor = cursorAt(pages, direction)
    const last = messagesOf(pages).at(-1)?.index ?? 0
    const page = await ask(cursor === null ? { around: last } : { cursor }, signal)
    // The other end may have grown meanwhile.
    if (signal.aborted || view.kind !== 'shown') return false
    if (page.kind !== 'messages') {
      show({ ...view, edges: { ...view.edges, [direction]: { kind: 'trouble', trouble: page } } })
      return false
    }
    const before = messagesOf(view.pages)
    const next = withPage(view.pages, page, direction)
    const other = direction === 'earlier' ? 'later' : 'earlier'
    const isBusy = view.edges[other].kind === 'reading'
    const { edges: found } = shown(next)
    show({ kind: 'shown', pages: next, edges: isBusy ? { ...found, [other]: view.edges[other] } : found })
    const after = messagesOf(next)
    const end = direction === 'earlier' ? 0 : -1
    return after.at(end)?.index !== before.at(end)?.index
  }

  // What failed for want of a link is asked again once there is one.
  const stopWatching = client.onState(({ kind }) => {
    if (kind !== 'ready') return
    if (view.kind === 'trouble' && view.trouble.isLink) void read(place)
    if (view.kind !== 'shown') return
    for (const direction of ['earlier', 'later'] as const) {
      const edge = view.edges[direction]
      if (edge.kind === 'trouble' && edge.trouble.isLink) void more(direction)
    }
  })

  void read(around)
  return {
    get view() {
      return view
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    read,
    more,
    [Symbol.dispose]() {
      stopWatching()
      listeners.clear()
      leaving.abort()
    },
  }
}

function shown(pages: TranscriptPages): Extract<TranscriptView, { kind: 'shown' }> {
  const edge = (direction: Direction): Edge => ({
    kind: cursorAt(pages, direction) === null ? 'end' : 'more',
  })
  return { kind: 'shown', pages, edges: { earlier: edge('earlier'), later: edge('later') } }
}
