/** Text that is written over itself on a terminal; elsewhere, each change of it once. */
import type { OutputStream } from './command-context.ts'
import { createTextMeasure } from './text-width.ts'

const defaultColumns = 80

export interface WatchScreen {
  /** @param text whole lines. */
  show(text: string): void
}

export function createWatchScreen(stream: OutputStream): WatchScreen {
  const measure = createTextMeasure()
  let shown = ''
  /** Lines of the terminal that it takes. */
  let height = 0
  return {
    show(text) {
      if (text === shown) return
      shown = text
      if (stream.isTTY !== true) {
        stream.write(text)
        return
      }
      // A line that the terminal broke in two would be left standing.
      const columns = stream.columns || defaultColumns
      const lines = text.replace(/\n$/, '').split('\n')
      const cut = lines.map((line) => measure.cutEnd(line, columns - 1))
      stream.write(`${height === 0 ? '' : `\u001b[${height}A\u001b[J`}${cut.join('\n')}\n`)
      height = cut.length
    },
  }
}
