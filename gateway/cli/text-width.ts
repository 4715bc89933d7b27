/** How many columns a text takes on a terminal, and how to cut it between graphemes. */

const ellipsis = '…'

/** East Asian Wide and Fullwidth blocks, and the emoji that terminals draw two columns wide. */
const wide =
  /^(?:[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f1e6}-\u{1f1ff}]{2}|[\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u
const zero = /^[\p{Mn}\p{Me}\p{Cf}]+$/u

export interface TextMeasure {
  width(text: string): number
  /** Cuts the end off, leaving an ellipsis, so that at most `columns` are taken. */
  cutEnd(text: string, columns: number): string
  /** Cuts the start off likewise. */
  cutStart(text: string, columns: number): string
  /** Breaks at spaces where there are some, else between graphemes; an empty text is one empty line. */
  wrap(text: string, columns: number): string[]
}

export function createTextMeasure(): TextMeasure {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  const graphemes = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment)
  const width = (text: string) =>
    /^[\x20-\x7e]*$/.test(text) ? text.length : sum(graphemes(text).map(graphemeWidth))

  function keep(parts: readonly string[], columns: number): string[] {
    const kept: string[] = []
    let used = 0
    for (const part of parts) {
      used += graphemeWidth(part)
      if (used > columns) break
      kept.push(part)
    }
    return kept
  }

  return {
    width,
    cutEnd(text, columns) {
      if (width(text) <= columns) return text
      return columns < 1
        ? ''
        : `${keep(graphemes(text), columns - 1)
            .join('')
            .trimEnd()}${ellipsis}`
    },
    cutStart(text, columns) {
      if (width(text) <= columns) return text
      if (columns < 1) return ''
      return `${ellipsis}${keep(graphemes(text).reverse(), columns - 1)
        .reverse()
        .join('')
        .trimStart()}`
    },
    wrap(text, columns) {
      if (width(text) <= columns) return [text]
      const lines: string[] = []
      let line: string[] = []
      let used = 0
      let lastSpace = -1
      for (const part of graphemes(text)) {
        const taken = graphemeWidth(part)
        if (used + taken > columns && line.length > 0) {
          const isAtWord = lastSpace > 0 && part !== ' '
          lines.push((isAtWord ? line.slice(0, lastSpace) : line).join(''))
          line = isAtWord ? line.slice(lastSpace + 1) : []
          used = sum(line.map(graphemeWidth))
          lastSpace = -1
          if (part === ' ') continue
        }
        if (part === ' ') lastSpace = line.length
        line.push(part)
        used += taken
      }
      return [...lines, line.join('')]
    },
  }
}

function graphemeWidth(grapheme: string): number {
  if (wide.test(grapheme)) return 2
  return zero.test(grapheme) ? 0 : 1
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
