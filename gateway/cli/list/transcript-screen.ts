/** The pager: a transcript on the whole screen, with jumps from match to match. */
import { plainText } from '../../words/plain-text.ts'
import type { Style } from '../style.ts'
import type { KeyPress } from '../terminal.ts'
import type { TextMeasure } from '../text-width.ts'
import type { Transcript } from './transcript.ts'

const gutter = 2
const keys = '↑↓ pgup pgdn home end · n next match · N previous · q back'

export interface TranscriptScreenOptions {
  readonly transcript: Transcript
  readonly style: Style
  readonly measure: TextMeasure
  readonly signal: AbortSignal
  /** The message to begin with. */
  readonly around: number | undefined
  columns(): number
  rows(): number
  onChange(): void
  onError(error: unknown): void
}

export interface TranscriptScreen {
  lines(): string[]
  press(key: KeyPress): void
}

export function createTranscriptScreen(options: TranscriptScreenOptions): TranscriptScreen {
  const { transcript, style, measure, signal } = options
  const width = () => Math.max(options.columns() - gutter, 1)
  const room = () => Math.max(options.rows() - 2, 1)
  let message: string | null = null
  let isLoading = false
  let top = 0
  /** The match that was jumped to, as a line. */
  let current = -1
  const lines = () => transcript.lines(width())
  const clamp = () => {
    top = Math.max(0, Math.min(top, lines().length - room()))
  }

  function start(): void {
    const all = lines()
    const head = all.findIndex((line) => line.messageIndex >= (options.around ?? 0))
    const match = all.findIndex((line, at) => at >= head && line.isMatch)
    current = match
    top = match < 0 ? Math.max(head, 0) : Math.max(match - Math.floor(room() / 3), 0)
    clamp()
  }

  /** @returns whether there was more. */
  async function load(direction: 'up' | 'down'): Promise<boolean> {
    const above = await transcript.load(direction, width(), signal)
    if (above === null) return false
    top += above
    if (current >= 0) current += above
    return true
  }

  async function move(by: number): Promise<void> {
    top += by
    if (top < 0 && (await load('up'))) clamp()
    else if (top + room() > lines().length) await load('down')
    clamp()
  }

  async function toEnd(direction: 'up' | 'down'): Promise<void> {
    while (!signal.aborted && (await load(direction))) options.onChange()
    top = direction === 'up' ? 0 : lines().length
    clamp()
  }

  async function jump(step: 1 | -1): Promise<void> {
    for (;;) {
      const all = lines()
      const start = current < 0 ? top : current + step
      for (let at = start; at >= 0 && at < all.length; at += step)
        if (all[at]?.isMatch === true) {
          current = at
          top = Math.max(at - Math.floor(room() / 3), 0)
          return clamp()
        }
      // The search goes on where these lines end.
      current = step > 0 ? all.length - 1 : 0
      if (!(await load(step > 0 ? 'down' : 'up'))) break
    }
    message = step > 0 ? 'No further match.' : 'No match before this.'
  }

  function act(work: () => Promise<void>): void {
    if (isLoading) return
    isLoading = true
    message = null
    work().then(
      () => {
        isLoading = false
        options.onChange()
      },
      (error: unknown) => {
        isLoading = false
        options.onError(error)
      },
    )
  }

  start()
  return {
    lines() {
      clamp()
      const shown = lines()
        .slice(top, top + room())
        .map((line, at) => {
          const mark = !line.isMatch ? '  ' : top + at === current ? '▶ ' : '▸ '
          return `${mark}${line.isHead || line.isMatch ? style.bold(line.text) : line.text}`
        })
      const title = measure.cutEnd(plainText(transcript.title) || '(no title)', options.columns())
      const filled = Array.from({ length: room() }, (_, at) => shown[at] ?? '')
      return [style.bold(title), ...filled, measure.cutEnd(message ?? keys, options.columns())]
    },
    press(key) {
      const page = room() - 1
      if (key.name === 'up' || key.text === 'k') act(async () => await move(-1))
      else if (key.name === 'down' || key.text === 'j') act(async () => await move(1))
      else if (key.name === 'pageup') act(async () => await move(-page))
      else if (key.name === 'pagedown' || key.text === ' ') act(async () => await move(page))
      else if (key.name === 'home') act(async () => await toEnd('up'))
      else if (key.name === 'end') act(async () => await toEnd('down'))
      else if (key.text === 'n') act(async () => await jump(1))
      else if (key.text === 'N') act(async () => await jump(-1))
    },
  }
}
