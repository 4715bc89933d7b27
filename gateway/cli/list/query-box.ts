/** A line of text being typed: a cursor that moves by graphemes, and the usual keys. */
import type { KeyPress } from '../terminal.ts'

export interface QueryBox {
  text(): string
  /** How many UTF-16 units stand before the cursor. */
  cursor(): number
  /** @returns whether the key was one for the box. */
  press(key: KeyPress): boolean
}

export function createQueryBox(start: string): QueryBox {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  let text = start
  let cursor = start.length
  const lengthBefore = () => Array.from(segmenter.segment(text.slice(0, cursor))).at(-1)?.segment.length ?? 0
  const lengthAfter = () => Array.from(segmenter.segment(text.slice(cursor)))[0]?.segment.length ?? 0

  function remove(from: number, to: number): void {
    text = text.slice(0, from) + text.slice(to)
    cursor = from
  }

  function control(name: string): boolean {
    switch (name) {
      case 'u':
        remove(0, cursor)
        return true
      case 'k':
        text = text.slice(0, cursor)
        return true
      case 'w':
        remove(text.slice(0, cursor).replace(/\S+\s*$/u, '').length, cursor)
        return true
      case 'a':
        cursor = 0
        return true
      case 'e':
        cursor = text.length
        return true
      default:
        return false
    }
  }

  return {
    text: () => text,
    cursor: () => cursor,
    press(key) {
      if (key.isCtrl) return control(key.name)
      if (key.text !== '') {
        text = text.slice(0, cursor) + key.text + text.slice(cursor)
        cursor += key.text.length
        return true
      }
      switch (key.name) {
        case 'backspace':
          remove(cursor - lengthBefore(), cursor)
          return true
        case 'delete':
          text = text.slice(0, cursor) + text.slice(cursor + lengthAfter())
          return true
        case 'left':
          cursor -= lengthBefore()
          return true
        case 'right':
          cursor += lengthAfter()
          return true
        case 'home':
          cursor = 0
          return true
        case 'end':
          cursor = text.length
          return true
        default:
          return false
      }
    },
  }
}
