/** The stretch of a transcript that has been read: pages that follow each other, and more of them at either end. */
import type { ReadSessionResponse } from '../../client/browser.ts'

export type SessionPage = Extract<ReadSessionResponse, { kind: 'messages' }>
export type SessionMessage = SessionPage['messages'][number]
export type SessionFacts = SessionPage['session']
export type Direction = 'earlier' | 'later'

export interface TranscriptPages {
  readonly session: SessionFacts
  /** In the transcript's order, no message twice. */
  readonly pages: readonly SessionPage[]
}

export const pageMessages = 100
/** What is far from the reader is let go, to be read again when it is come to. */
const mostMessages = 800

export function firstPages(page: SessionPage): TranscriptPages {
  return { session: page.session, pages: [page] }
}

/** @param page of `cursorAt(pages, direction)`, or one that also holds messages there are already. */
export function withPage(
  { pages }: TranscriptPages,
  page: SessionPage,
  direction: Direction,
): TranscriptPages {
  const isLater = direction === 'later'
  const edge = messagesOf({ pages }).at(isLater ? -1 : 0)?.index
  const messages = page.messages.filter(
    ({ index }) => edge === undefined || (isLater ? index > edge : index < edge),
  )
  const all = isLater ? [...pages, { ...page, messages }] : [{ ...page, messages }, ...pages]
  return { session: page.session, pages: near(all, direction) }
}

/** @returns null where nothing more is there. */
export function cursorAt({ pages }: Pick<TranscriptPages, 'pages'>, direction: Direction): string | null {
  if (direction === 'earlier') return pages[0]?.page.previousCursor ?? null
  const last = pages.at(-1)?.page
  return last?.hasMore === true ? last.cursor : null
}

export function messagesOf({ pages }: Pick<TranscriptPages, 'pages'>): readonly SessionMessage[] {
  return pages.flatMap(({ messages }) => messages)
}

/** Whole pages go from the end that the reader comes from; the page that was just read stays. */
function near(pages: readonly SessionPage[], direction: Direction): readonly SessionPage[] {
  let kept = pages
  while (kept.length > 2 && messagesOf({ pages: kept }).length > mostMessages)
    kept = direction === 'later' ? kept.slice(1) : kept.slice(0, -1)
  return kept
}
