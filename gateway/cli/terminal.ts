/** The terminal as a whole: keys, size, and a screen of its own that is left as it was found, whatever happens. */
import { emitKeypressEvents, type Key } from 'node:readline'
import type { ReadStream, WriteStream } from 'node:tty'

/** `name` as readline has it (`return`, `up`, `pagedown`); `text` what was typed, empty for other keys. */
export interface KeyPress {
  readonly name: string
  readonly text: string
  readonly isCtrl: boolean
  readonly isShift: boolean
}

export interface OpenScreen extends Disposable {
  /** Shows the lines from the top; what has not changed is not written again. Each must fit in the columns. */
  draw(lines: readonly string[], cursor: { readonly row: number; readonly column: number } | null): void
}

export interface Terminal {
  columns(): number
  rows(): number
  /** Takes the screen and the keys, until it is disposed of. Ctrl-C goes to the process as its signal does. */
  open(handlers: { key(press: KeyPress): void; resize(): void }): OpenScreen
}

const enter = '\u001b[?1049h\u001b[?2004h\u001b[H\u001b[2J'
const leave = '\u001b[?2026l\u001b[?2004l\u001b[0m\u001b[?25h\u001b[?1049l'

/** @param interrupt called for Ctrl-C, which is a key like others while the keys are taken. */
export function createTerminal(
  input: ReadStream,
  output: WriteStream,
  interrupt: () => void,
): Terminal | undefined {
  if (input.isTTY !== true || output.isTTY !== true) return undefined
  const columns = () => output.columns || 80
  const rows = () => output.rows || 24
  return {
    columns,
    rows,
    open(handlers) {
      let isOpen = true
      let shown: readonly string[] = []
      let isPasting = false
      const onKey = (text: string | undefined, key: Key) => {
        if (key.name === 'paste-start' || key.name === 'paste-end') {
          isPasting = key.name === 'paste-start'
          return
        }
        if (key.ctrl === true && key.name === 'c') {
          close()
          interrupt()
          return
        }
        const press = readKey(text, key)
        // What is pasted is text; its line ends are no commands.
        if (!isPasting) handlers.key(press)
        else handlers.key({ ...press, name: 'paste', text: press.text === '' ? ' ' : press.text })
      }
      const onResize = () => {
        shown = []
        output.write('\u001b[2J')
        handlers.resize()
      }
      const close = () => {
        if (!isOpen) return
        isOpen = false
        input.off('keypress', onKey)
        output.off('resize', onResize)
        process.off('exit', close)
        output.write(leave)
        input.setRawMode(false)
        input.pause()
      }
      // Also when the process ends by an error that nobody caught.
      process.on('exit', close)
      emitKeypressEvents(input)
      input.setRawMode(true)
      input.on('keypress', onKey)
      input.resume()
      output.on('resize', onResize)
      output.write(enter)
      return {
        draw(lines, cursor) {
          if (!isOpen) return
          const parts: string[] = ['\u001b[?2026h\u001b[?25l']
          const height = rows()
          for (let row = 0; row < height; row++) {
            const line = lines[row] ?? ''
            if (line !== shown[row]) parts.push(`\u001b[${row + 1};1H\u001b[2K${line}\u001b[0m`)
          }
          shown = Array.from({ length: height }, (_, row) => lines[row] ?? '')
          if (cursor !== null) parts.push(`\u001b[${cursor.row + 1};${cursor.column + 1}H\u001b[?25h`)
          parts.push('\u001b[?2026l')
          output.write(parts.join(''))
        },
        [Symbol.dispose]: close,
      }
    },
  }
}

function readKey(text: string | undefined, key: Key): KeyPress {
  const isText = text !== undefined && key.ctrl !== true && key.meta !== true && !/^\p{Cc}/u.test(text)
  return {
    name: key.name ?? '',
    text: isText ? text : '',
    isCtrl: key.ctrl === true,
    isShift: key.shift === true,
  }
}
