/**
 * Rows of a query in which one word may go on (`plugin rec*`, as it is typed). FTS5 gathers the rows of all words that
 * begin so before it looks at the others – 200,000 of them for two letters in a history of 957 MB. Where the other words
 * leave few rows, those are read instead.
 */
import { numberIn, textIn } from '../index/read.ts'
import { humpsOf, tokenize } from '../index/tokens.ts'
import { findSpans, findWords } from './match-spans.ts'
import type { Rung } from './plan.ts'
import { folded, isFoldable } from './query-needles.ts'
import { listRows, type Retrieval } from './retrieve.ts'

/** @returns all rows that match, ascending; null where FTS5 is to be asked: for another query, or where it would be much to read. */
export function rowsGoingOn({ db, limits }: Retrieval, { goingOn, columns }: Rung): number[] | null {
  if (goingOn === undefined) return null
  const candidates = listRows(db, goingOn.rest, limits.rowsReadForPrefix + 1)
  if (candidates.length > limits.rowsReadForPrefix) return null
  const holds = wordTest(goingOn.word, columns === null)
  const reading = db.prepare(
    'SELECT m.id, m.text FROM json_each(?) wanted CROSS JOIN messages m ON m.id = wanted.value',
  )
  const rowIds: number[] = []
  for (const row of reading.iterate(JSON.stringify(candidates)))
    if (holds(textIn(row, 'text'))) rowIds.push(numberIn(row, 'id'))
  return rowIds
}

/** Most texts are told apart by looking for the letters; what is not plain is taken apart as for the index. */
function wordTest(word: string, withParts: boolean): (text: string) => boolean {
  const head = word.slice(0, -1)
  if (!plainWord.test(head)) return otherwise
  // Most texts hold it early, behind a blank or the like.
  const behindBreak = new RegExp(`(?:^|[\\0-/:-@[-\`{-\\x7f])${head}`, 'i')
  return (text) =>
    behindBreak.test(text) || (plainText.test(text) ? holdsPlain(text, head, withParts) : otherwise(text))

  function otherwise(text: string): boolean {
    const low = isFoldable(text) ? folded(text) : text.toLowerCase()
    if (!low.includes(head)) return false
    const tokens = tokenize(text)
    return (withParts ? findSpans(text, tokens, [[word]]) : findWords(tokens, [[word]])).length > 0
  }
}

const plainWord = /^[a-z0-9]+$/
// All of ASCII: there, words are runs of letters and digits.
const plainText = /^[\u0000-\u007f]*$/

function holdsPlain(text: string, head: string, withParts: boolean): boolean {
  const low = text.toLowerCase()
  for (let at = low.indexOf(head); at >= 0; at = low.indexOf(head, at + 1)) {
    if (!isWordUnit(low.charCodeAt(at))) continue
    if (!isWordUnit(low.charCodeAt(at - 1))) return true
    if (withParts && humpsOf(wordAround(text, low, at)).some((hump) => hump.startsWith(head))) return true
  }
  return false
}

function wordAround(text: string, low: string, at: number): string {
  let [start, end] = [at, at]
  while (isWordUnit(low.charCodeAt(start - 1))) start--
  while (isWordUnit(low.charCodeAt(end))) end++
  return text.slice(start, end)
}

/** NaN, which stands for either end, is none. */
function isWordUnit(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57)
}
