/** The screen of the list as lines: the query, the rows, the strip of hosts, and which keys there are. */
import type { Hit } from '../../../protocol/session-search/hit.ts'
import { plainText } from '../../words/plain-text.ts'
import { sayDuration } from '../../words/say-time.ts'
import { sayWhy } from '../../words/say-why.ts'
import { renderHitForTerminal } from '../render-hits.ts'
import type { Style } from '../style.ts'
import type { TextMeasure } from '../text-width.ts'
import type { SearchView } from './live-search.ts'

export interface ListScreen {
  readonly columns: number
  readonly rows: number
  readonly nowMs: number
  readonly style: Style
  readonly measure: TextMeasure
  readonly askedHostId: string
  readonly search: SearchView
  readonly query: string
  readonly focus: 'list' | 'query'
  readonly selected: number
  /** The row at the top of the list when it was last drawn. */
  readonly top: number
  /** Every host that is asked, in the order of the configuration. */
  readonly hostIds: readonly string[]
  /** What is said in place of the keys. */
  readonly message: string | null
  /** What is said in place of the rows. */
  readonly emptyText: string
}

export interface DrawnList {
  readonly lines: readonly string[]
  readonly top: number
}

const marker = '> '
const most = 3

export function drawList(screen: ListScreen): DrawnList {
  const { columns, rows, measure, style, search, focus } = screen
  const head = [queryLine(screen), style.bold(measure.cutEnd(announcement(search), columns))]
  const foot = [
    style.dim(measure.cutEnd(hostStrip(screen), columns)),
    ...(screen.message === null
      ? [measure.cutEnd(focus === 'list' ? listKeys : queryKeys, columns)]
      : messageLines(screen.message, columns, measure)),
  ]
  const room = Math.max(rows - head.length - foot.length, 0)
  const body = search.rows.length === 0 ? emptyLines(screen) : null
  const { shown, top } = body === null ? windowOf(screen, room) : { shown: body, top: 0 }
  const filled = Array.from({ length: room }, (_, at) => shown[at] ?? '')
  return { lines: [...head, ...filled, ...foot].slice(0, rows), top }
}

export const prompt = 'trawl › '
const listKeys = '↑↓ move · enter read · / query · r resume · o page · g newest · ? keys · q quit'
const queryKeys = 'type to refine · enter or ↓ to the list · esc back'

function queryLine({ query, search, columns, measure, style }: ListScreen): string {
  const state =
    search.phase === 'searching'
      ? 'searching…'
      : search.phase === 'done'
        ? `${search.rows.length}${search.hasMore ? ' and more' : ''}`
        : ''
  const room = Math.max(columns - prompt.length - measure.width(state) - 2, 1)
  const shown = measure.cutStart(plainQuery(query), room)
  const gap = ' '.repeat(Math.max(columns - prompt.length - measure.width(shown) - measure.width(state), 1))
  return `${style.dim(prompt)}${style.bold(shown)}${gap}${style.dim(state)}`
}

/** Blanks at the end are being typed. */
export function plainQuery(query: string): string {
  return `${plainText(query)}${/\s$/.test(query) ? ' ' : ''}`
}

function announcement({ waiting }: SearchView): string {
  return waiting.length === 0 ? '' : `▲ ${waiting.length} newer – press g to show`
}

function emptyLines({ emptyText, columns, measure }: ListScreen): string[] {
  return measure.wrap(emptyText, Math.max(columns - 2, 1)).map((line) => `  ${line}`)
}

/** Whole rows from `top` on, so that the selected one is among them. */
function windowOf(screen: ListScreen, room: number): { shown: string[]; top: number } {
  const { search, selected } = screen
  const drawn = new Map<number, string[]>()
  const linesOf = (index: number) => {
    const hit = search.rows[index]
    const lines = drawn.get(index) ?? (hit === undefined ? [] : rowLines(hit, index === selected, screen))
    drawn.set(index, lines)
    return lines
  }
  const last = Math.max(search.rows.length - 1, 0)
  let top = Math.min(screen.top, selected, last)
  let height = 0
  for (let index = selected; index >= top; index--) {
    height += linesOf(index).length
    if (height > room && index < selected) top = index + 1
  }
  const shown: string[] = []
  for (let index = top; index <= last && shown.length < room; index++) shown.push(...linesOf(index))
  return { shown, top }
}

function rowLines(hit: Hit, isSelected: boolean, screen: ListScreen): string[] {
  const layout = { ...screen, columns: Math.max(screen.columns - marker.length, 1) }
  const lines = renderHitForTerminal(hit, layout).trimEnd().split('\n')
  const shown = screen.focus === 'list' && isSelected
  return lines.map((line, at) => `${shown ? (at === 0 ? marker : '│ ') : '  '}${line}`)
}

/** `● local 4 · 6 ms   ○ runtime:ci not asked: offline   … ssh:devbox` */
function hostStrip({ hostIds, search: { legs, phase } }: ListScreen): string {
  const ids = [...new Set([...hostIds, ...legs.keys()])]
  return ids
    .map((id) => {
      const leg = legs.get(id)
      const name = plainText(id)
      if (leg === undefined) return phase === 'searching' ? `… ${name} asked` : `· ${name}`
      if (leg.outcome !== 'results') return `○ ${name} no answer: ${sayWhy(leg)}`
      return `● ${name} ${leg.hits} · ${sayDuration(leg.durationMs)}`
    })
    .join('   ')
}

export function messageLines(message: string, columns: number, measure: TextMeasure): string[] {
  return measure.wrap(plainText(message), columns).slice(0, most)
}
