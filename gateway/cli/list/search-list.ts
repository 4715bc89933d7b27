/** The interactive list behind `trawl QUERY` on a terminal: keys in, screens out. */
import { hostListSchema } from '../../../protocol/rpc/describe.ts'
import { TrawlError } from '../../../protocol/rpc/errors.ts'
import type { Hit } from '../../../protocol/session-search/hit.ts'
import { loadConfig } from '../../config.ts'
import { Refusal } from '../../refusal.ts'
import { legsOf, nothingFoundSentences } from '../../words/say-legs.ts'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-codes.ts'
import { openLiveClient } from '../live-client.ts'
import { matchedTextsOf } from '../render-hits.ts'
import { whyNoCommand } from '../resume.ts'
import { sayRefusal } from '../search-lines.ts'
import type { CliRequest } from '../search-request.ts'
import { createStyle } from '../style.ts'
import type { KeyPress, Terminal } from '../terminal.ts'
import { createTextMeasure } from '../text-width.ts'
import { findUnfinishedHosts } from '../unfinished-hosts.ts'
import { drawList, plainQuery, prompt } from './list-view.ts'
import { createLiveSearch, type SearchView } from './live-search.ts'
import { createQueryBox } from './query-box.ts'
import { keyOf } from './rows.ts'
import { openTranscript } from './transcript.ts'
import { createTranscriptScreen, type TranscriptScreen } from './transcript-screen.ts'

/** Until then the first rows settle; from then on nothing moves under the selection. */
const settlingMs = 300
const allKeys =
  'In the list: ↑ ↓ pgup pgdn home end move, enter reads, r the resume command, o the address of the page, g shows newer rows, / or any other letter types, q or esc leaves. While typing: ctrl-u empties, enter or ↓ goes to the list.'

/** @returns the exit code. @throws what opening a gateway throws. */
export async function openSearchList(
  request: CliRequest,
  context: CommandContext,
  { terminal, isPlain }: { readonly terminal: Terminal; readonly isPlain: boolean },
): Promise<number> {
  const { clock, signal } = context
  await using client = await openLiveClient(context)
  const style = createStyle(context.stdout, context.env, isPlain)
  const measure = createTextMeasure()
  const box = createQueryBox(request.query)
  let focus: 'list' | 'query' = 'list'
  let selected = 0
  let top = 0
  let isTouched = false
  let rowsSinceMs: number | null = null
  let message: string | null = null
  let emptyText = ''
  let hostIds: readonly string[] = []
  let reader: TranscriptScreen | null = null
  const reading = new AbortController()
  let finish: () => void = () => {}
  const ended = new Promise<void>((resolve) => {
    finish = resolve
  })
  signal.addEventListener('abort', () => finish(), { once: true })

  const isHeld = () =>
    reader !== null ||
    (focus === 'list' &&
      (isTouched || (rowsSinceMs !== null && clock.monotonicMs() - rowsSinceMs > settlingMs)))
  const selectedHit = (): Hit | undefined => search.view().rows[selected]
  let heldKey: string | null = null
  const holdNow = () => {
    const hit = selectedHit()
    heldKey = hit !== undefined && isHeld() ? keyOf(hit) : null
    return heldKey
  }

  using search = createLiveSearch({
    client,
    clock,
    request,
    heldKey: holdNow,
    onRestart: () => {
      selected = 0
      top = 0
      isTouched = false
      rowsSinceMs = null
      heldKey = null
      emptyText = ''
    },
    onChange: () => {
      const view = search.view()
      if (view.rows.length > 0) rowsSinceMs ??= clock.monotonicMs()
      const at = heldKey === null ? -1 : view.rows.findIndex((hit) => keyOf(hit) === heldKey)
      selected = at >= 0 ? at : Math.max(0, Math.min(selected, view.rows.length - 1))
      void explain(view)
      draw()
    },
  })

  /** Why there are no rows. */
  async function explain(view: SearchView): Promise<void> {
    if (view.rows.length > 0) return
    if (view.phase === 'nothing-asked') emptyText = 'Type what you are looking for.'
    else if (view.phase === 'searching') emptyText = 'Searching…'
    else if (view.refused !== null) emptyText = sayRefusal(view.refused, request, [view.query])
    else if (view.error !== null) emptyText = sayError(view.error)
    else if (view.results !== null) {
      const legs = legsOf(view.results, request.executionHostId)
      const unfinished = await findUnfinishedHosts(view.results, legs, client, context)
      if (search.view() !== view) return
      emptyText = nothingFoundSentences(legs, unfinished)
      draw()
    }
  }

  function draw(): void {
    if (reader !== null) {
      screen.draw(reader.lines(), null)
      return
    }
    const columns = terminal.columns()
    const drawn = drawList({
      columns,
      rows: terminal.rows(),
      nowMs: clock.now(),
      style,
      measure,
      askedHostId: request.executionHostId,
      search: search.view(),
      query: box.text(),
      focus,
      selected,
      top,
      hostIds,
      message,
      emptyText,
    })
    top = drawn.top
    const column = prompt.length + measure.width(plainQuery(box.text().slice(0, box.cursor())))
    screen.draw(drawn.lines, focus === 'query' ? { row: 0, column: Math.min(column, columns - 1) } : null)
  }

  function move(by: number): void {
    const { rows } = search.view()
    isTouched = true
    selected = Math.max(0, Math.min(selected + by, rows.length - 1))
    if (selected >= rows.length - 5) search.more()
  }

  async function read(hit: Hit): Promise<void> {
    const around = hit.evidence?.messageIndex
    const session = {
      executionHostId: hit.executionHostId ?? request.executionHostId,
      agent: hit.agent,
      sessionId: hit.sessionId,
    }
    const options = { client, session, around, matchedTexts: matchedTextsOf(hit), measure }
    const transcript = await openTranscript(options, reading.signal)
    message = null
    reader = createTranscriptScreen({
      transcript,
      style,
      measure,
      around,
      signal: reading.signal,
      columns: () => terminal.columns(),
      rows: () => terminal.rows(),
      onChange: draw,
      onError: (error) => {
        reader = null
        message = sayError(error)
        draw()
      },
    })
    draw()
  }

  function pressInList(key: KeyPress): void {
    message = null
    const hit = selectedHit()
    const page = Math.max(1, Math.floor((terminal.rows() - 4) / 2))
    if (key.name === 'up') move(-1)
    else if (key.name === 'down') move(1)
    else if (key.name === 'pageup') move(-page)
    else if (key.name === 'pagedown') move(page)
    else if (key.name === 'home') move(Number.NEGATIVE_INFINITY)
    else if (key.name === 'end') move(search.view().rows.length)
    else if (key.name === 'escape' || key.text === 'q') finish()
    else if (key.text === '/' || key.name === 'tab') focus = 'query'
    else if (key.text === '?') message = allKeys
    else if (key.text === 'o') message = pageAddress(client.isFresh, context)
    else if (key.text === 'g') {
      search.showWaiting()
      selected = 0
      top = 0
    } else if (key.name === 'return' && hit !== undefined) {
      message = 'Reading…'
      read(hit).catch((error: unknown) => {
        message = sayError(error)
        draw()
      })
    } else if (key.text === 'r' && hit !== undefined) message = hit.resumeCommand ?? whyNoCommand(hit)
    else if (key.text !== '' || key.name === 'backspace') pressInQuery(key)
  }

  function pressInQuery(key: KeyPress): void {
    if (['return', 'down', 'escape', 'tab'].includes(key.name)) {
      focus = 'list'
      return
    }
    focus = 'query'
    const before = box.text()
    if (box.press(key) && box.text() !== before) search.ask(box.text())
  }

  using screen = terminal.open({
    resize: () => draw(),
    key(key) {
      if (reader !== null) {
        if (key.text === 'q' || key.name === 'escape') reader = null
        else reader.press(key)
      } else if (focus === 'list' && key.name !== 'paste') pressInList(key)
      else pressInQuery(key)
      draw()
    },
  })
  client.call('hosts.list', {}, signal).then(
    (answer) => {
      const ids = hostListSchema.parse(answer).hosts.map(({ executionHostId }) => executionHostId)
      hostIds = request.executionHostId === 'all' ? ids : []
      draw()
    },
    () => {},
  )
  search.ask(request.query, 0)
  await ended
  reading.abort()
  return signal.aborted ? exitCodes.interrupted : exitCodes.done
}

function sayError(error: unknown): string {
  if (error instanceof Refusal) return error.message
  const known = TrawlError.from(error)
  return known.details.reason === undefined
    ? `${known.message}.`
    : `${known.message} (${known.details.reason}).`
}

/** The gateway's page, where one runs. */
function pageAddress(isAlone: boolean, context: CommandContext): string {
  if (isAlone) return 'The page is served by a gateway that runs. Start it: trawl serve'
  const { host, port } = loadConfig(context).listen
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}/`
}
