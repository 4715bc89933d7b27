/**
 * How well one text answers a query. In the order of what counts: which of the query's words it holds (rare ones say
 * more), whether they stand near each other and in their order, whether what was asked for stands there whole; then
 * who said it. Long texts hold many words by chance, so a word says less there.
 */
import type { MessageRole } from '../../protocol/session-search/hit.ts'
import { folded, isFoldable, type Needle, type Needles } from './query-needles.ts'

export type TextKind = MessageRole | 'title'

/** What people said before what agents said before what tools printed; a title is a summary of all of it. */
const kindWeights: Readonly<Record<TextKind, number>> = { title: 1.3, user: 1.2, assistant: 1, tool: 0.85 }

/** What a word is worth that stands only inside a longer word, or only by its parts. */
const insideWorth = 0.7
const partsWorth = 0.35
/** A row that FTS5 found and this did not: by a spelling of its own. */
const unseenWorth = 0.1

const proximityWorth = 0.8
const wholeWorth = 0.3
const allWorth = 0.5

/** Places of one word that are looked at; more say nothing new. */
const maxPlaces = 16
const typicalUnits = 600

export interface ScoredText {
  /** More than 0; bigger is better; comparable for the same needles only. */
  readonly score: number
  /** Which of the needles' words stand in the text. */
  readonly words: readonly number[]
}

export function scoreText(text: string, kind: TextKind, needles: Needles): ScoredText {
  let low = text.toLowerCase()
  let found = needles.words.map((needle) => findWord(low, needle))
  if (found.some(({ worth }) => worth < 1) && isFoldable(text)) {
    low = folded(text)
    found = needles.words.map((needle) => findWord(low, needle))
  }
  const room = 0.5 + 0.4 * (low.length / typicalUnits)
  const counted = new Set<string>()
  let words = 0
  let total = 0
  for (const [at, { worth, places }] of found.entries()) {
    const needle = needles.words[at]
    if (needle === undefined || counted.has(needle.word)) continue
    counted.add(needle.word)
    total += needle.weight
    words += needle.weight * worth * (places.length / (places.length + room))
  }
  const near = proximity(needles.words, found)
  const wholes = needles.wholes.reduce(
    (sum, { text: whole, weight }) => sum + (low.includes(whole) ? weight : 0),
    0,
  )
  const all = needles.all !== null && low.includes(needles.all) ? total : 0
  const score = words + proximityWorth * near + wholeWorth * wholes + allWorth * all
  return {
    score: kindWeights[kind] * Math.max(score, unseenWorth),
    words: needles.words.flatMap((_, at) => ((found[at]?.worth ?? 0) > 0 ? [at] : [])),
  }
}

interface FoundWord {
  readonly worth: number
  /** Where it starts, ascending. */
  readonly places: readonly number[]
}

const notFound: FoundWord = { worth: 0, places: [] }

function findWord(low: string, needle: Needle): FoundWord {
  // Nothing is left of a sign that stood alone.
  if (needle.word === '') return notFound
  const { whole, inside } = placesOf(low, needle)
  if (whole.length > 0) return { worth: 1, places: whole }
  if (inside.length > 0) return { worth: insideWorth, places: inside }
  const parts = needle.humps.map((hump) => low.indexOf(hump)).filter((place) => place >= 0)
  if (parts.length === 0) return notFound
  return { worth: (partsWorth * parts.length) / needle.humps.length, places: [Math.min(...parts)] }
}

function placesOf(low: string, { word, prefix }: Needle): { whole: number[]; inside: number[] } {
  const whole: number[] = []
  const inside: number[] = []
  const standsAlone = isUnspaced(word.charCodeAt(0))
  for (let at = low.indexOf(word); at >= 0; at = low.indexOf(word, at + 1)) {
    const begins = standsAlone || !isWordUnit(low.charCodeAt(at - 1))
    const ends = prefix || standsAlone || !isWordUnit(low.charCodeAt(at + word.length))
    if (begins && ends) whole.push(at)
    else if (whole.length === 0) inside.push(at)
    if (whole.length === maxPlaces || (whole.length === 0 && inside.length === maxPlaces)) break
  }
  return { whole, inside }
}

/** How near each word of the query stands to the next, the nearest places taken: 1 a pair that stands as in the query. */
function proximity(words: readonly Needle[], found: readonly FoundWord[]): number {
  let sum = 0
  for (let at = 1; at < words.length; at++) {
    const [first, second] = [words[at - 1], words[at]]
    const [here, there] = [found[at - 1], found[at]]
    if (first === undefined || second === undefined || here === undefined || there === undefined) continue
    const worth = Math.min(first.weight * here.worth, second.weight * there.worth)
    if (worth > 0) sum += worth * nearest(here.places, first.word.length, there.places, second.word.length)
  }
  return sum
}

const reversedWorth = 0.6
/** Units between two words at which nearness is worth half: two or three words. */
const halfwayUnits = 16

function nearest(
  first: readonly number[],
  firstUnits: number,
  second: readonly number[],
  secondUnits: number,
): number {
  let best = 0
  let after = 0
  for (const place of first) {
    while (after < second.length && (second[after] ?? 0) < place + firstUnits) after++
    const next = second[after]
    if (next !== undefined) best = Math.max(best, nearness(next - place - firstUnits))
    const before = second[after - 1]
    if (before !== undefined && before + secondUnits <= place)
      best = Math.max(best, reversedWorth * nearness(place - before - secondUnits))
  }
  return best
}

function nearness(gapUnits: number): number {
  return gapUnits <= 1 ? 1 : 1 / (1 + gapUnits / halfwayUnits)
}

/** NaN stands for either end of the text. */
function isWordUnit(unit: number): boolean {
  if (unit < 0x80) return (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57)
  if (Number.isNaN(unit) || isUnspaced(unit)) return false
  return /[\p{L}\p{N}\p{M}]/u.test(String.fromCharCode(unit))
}

/** Roughly the scripts that set no spaces: each character of them is a word of the index. */
function isUnspaced(unit: number): boolean {
  return unit >= 0xe00 && unit !== 0xffff && !(unit >= 0x1e00 && unit < 0x2e80)
}
