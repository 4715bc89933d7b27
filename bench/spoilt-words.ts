/** Words taken from lines of text, and what people make of them when they search from memory. */
import { isStopWord } from '../protocol/session-search/stop-words.ts'
import { between, pick, type Random } from './random.ts'

export function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.length >= 4 && line.length <= 400)
}

/** Words of four letters or more that say something; nothing of identifiers, paths and numbers. */
export function contentWords(line: string): string[] {
  return [...line.matchAll(/(?<![A-Za-z0-9_./\\-])[A-Za-z][a-z]{3,17}(?![A-Za-z0-9_/\\-]|\.\w)/g)]
    .map(([word]) => word)
    .filter((word) => !isStopWord(word))
}

/** One slip: two letters in the wrong order, one left out, one too many, or one beside the right key. */
export function misspell(word: string, random: Random, vocabulary: ReadonlySet<string>): string | null {
  if (word.length < 6) return null
  const at = between(random, 1, word.length - 2)
  const slips = [
    () => word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2),
    () => word.slice(0, at) + word.slice(at + 1),
    () => word.slice(0, at) + word.charAt(at) + word.slice(at),
    () => word.slice(0, at) + besideOnKeyboard(word.charAt(at)) + word.slice(at + 1),
  ]
  const wrong = pick(random, slips)()
  // What is a word itself is no slip that anybody could see.
  return wrong === word || vocabulary.has(wrong) ? null : wrong
}

const keyboardRows = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm']

function besideOnKeyboard(letter: string): string {
  const row = keyboardRows.find((keys) => keys.includes(letter)) ?? ''
  const at = row.indexOf(letter)
  return row.charAt(at + 1) || row.charAt(at - 1) || letter
}

export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const left = [...items]
  return items.flatMap(() => left.splice(Math.floor(random() * left.length), 1))
}
