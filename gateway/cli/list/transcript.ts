/** A transcript being read: the pages near what is on the screen, as lines of it. */
import { readSessionResponseSchema } from '../../../protocol/session-search/read-session.ts'
import { plainLines } from '../../words/plain-text.ts'
import type { GatewayClient } from '../gateway-client.ts'
import type { SessionName } from '../session-words.ts'
import { headOfMessage, type SessionMessage, type SessionPage, sayRefused } from '../show.ts'
import type { TextMeasure } from '../text-width.ts'

const pageMessages = 40
/** More are let go at the far end, to be read again when they are come to. */
const mostPages = 6
/** A longer message is cut; `trawl show` prints it whole. */
const mostUnits = 60_000

export interface TranscriptLine {
  readonly text: string
  readonly isHead: boolean
  readonly isMatch: boolean
  readonly messageIndex: number
}

export interface Transcript {
  readonly title: string
  lines(columns: number): readonly TranscriptLine[]
  /** @returns how many lines came above those there were (fewer than none: went), or null for nothing more. */
  load(direction: 'up' | 'down', columns: number, signal: AbortSignal): Promise<number | null>
}

export interface TranscriptOptions {
  readonly client: GatewayClient
  readonly session: SessionName
  readonly around: number | undefined
  /** What a line is to hold, in lower case, to be a match. */
  readonly matchedTexts: readonly string[]
  readonly measure: TextMeasure
}

/** @throws TrawlError; Refusal where the host has it no longer. */
export async function openTranscript(options: TranscriptOptions, signal: AbortSignal): Promise<Transcript> {
  const { client, session, around, matchedTexts, measure } = options
  const read = async (place: object): Promise<SessionPage> => {
    const sent = { ...session, limit: pageMessages, ...place }
    const page = readSessionResponseSchema.parse(await client.call('aiVault.readSession', sent, signal))
    if (page.kind !== 'messages') throw sayRefused(page, session.executionHostId)
    return page
  }
  let pages = [await read(around === undefined ? {} : { around })]
  /** Of the pages there are, at one width. */
  let drawn = new Map<SessionPage, readonly TranscriptLine[]>()
  let drawnColumns = 0

  const linesOfPage = (page: SessionPage, columns: number) => {
    if (columns !== drawnColumns) drawn = new Map()
    drawnColumns = columns
    const lines = drawn.get(page) ?? page.messages.flatMap((message) => drawMessage(message, columns))
    drawn.set(page, lines)
    return lines
  }

  function drawMessage(message: SessionMessage, columns: number): TranscriptLine[] {
    const line = (text: string, isHead = false): TranscriptLine => ({
      text,
      isHead,
      isMatch: !isHead && matchedTexts.some((match) => text.toLowerCase().includes(match)),
      messageIndex: message.index,
    })
    const cut = message.text.length > mostUnits
    const body = plainLines(cut ? message.text.slice(0, mostUnits) : message.text)
    return [
      line(headOfMessage(message), true),
      ...body.flatMap((text) => measure.wrap(text, columns)).map((text) => line(text)),
      ...(cut ? [line('… the rest is shown by trawl show')] : []),
      line(''),
    ]
  }

  return {
    title: pages[0]?.session.title ?? '',
    lines: (columns) => pages.flatMap((page) => linesOfPage(page, columns)),
    async load(direction, columns, loadSignal) {
      const end = direction === 'up' ? pages[0]?.page.previousCursor : lastCursor(pages.at(-1))
      if (end === null || end === undefined || loadSignal.aborted) return null
      const page = await read({ cursor: end })
      const isUp = direction === 'up'
      const gone = pages.length < mostPages ? [] : [isUp ? pages.at(-1) : pages[0]]
      const kept = pages.filter((each) => !gone.includes(each))
      pages = isUp ? [page, ...kept] : [...kept, page]
      if (isUp) return linesOfPage(page, columns).length
      return -gone.reduce(
        (sum, each) => sum + (each === undefined ? 0 : linesOfPage(each, columns).length),
        0,
      )
    },
  }
}

function lastCursor(page: SessionPage | undefined): string | null {
  return page?.page.hasMore === true ? page.page.cursor : null
}
