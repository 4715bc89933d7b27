/**
 * What the worst queries for typo repair cost: 64 unknown words in 512 characters. The bar is for words that are near
 * nothing, which are looked for to the end and leave nothing to rank; misspelt ones are repaired, found and ranked.
 */
import { startAgent } from './agents.ts'
import { ensureBigIndex } from './big-index.ts'
import { median, percentile, timeMs } from './measure.ts'
import { pick, type Random, seededRandom } from './random.ts'
import type { BenchContext, BenchRow, Measured } from './row.ts'

/** A word and its space, 64 times, are the 512 characters that a query may have. */
const wordUnits = 7
const wordsPerQuery = 64

export const unknownWords: BenchRow = {
  name: 'unknown-words',
  what: '64 unknown words in one query, p95, on that index',
  unit: 'ms',
  atMost: 50,
  measure: measureUnknownWords,
}

async function measureUnknownWords(context: BenchContext): Promise<Measured> {
  const place = await ensureBigIndex(context)
  const right = context.corpora.words().filter((word) => /^[a-z]+$/.test(word) && word.length === wordUnits)
  const random = seededRandom(64)
  await using agent = await startAgent(place)
  const rounds = context.quick ? 5 : 41
  const timesOf = async (unknown: () => string) => {
    const times: number[] = []
    for (let round = -3; round < rounds; round++) {
      const query = Array.from({ length: wordsPerQuery }, unknown).join(' ')
      const ms = await timeMs(async () => {
        await agent.search({ query, limit: 20 })
      })
      if (round >= 0) times.push(ms)
    }
    return times
  }
  const nonsenseMs = await timesOf(() => nonsense(random))
  const misspeltMs = await timesOf(() => misspelt(random, pick(random, right)))
  return {
    value: percentile(nonsenseMs, 0.95),
    detail: `${rounds} queries of ${wordsPerQuery} words of ${wordUnits} letters, median ${median(nonsenseMs).toFixed(0)} ms; each a slip away from a word: median ${median(misspeltMs).toFixed(0)} ms, p95 ${percentile(misspeltMs, 0.95).toFixed(0)} ms`,
  }
}

/** One letter, anywhere, becomes another. */
function misspelt(random: Random, word: string): string {
  const at = Math.floor(random() * word.length)
  return word.slice(0, at) + anyLetter(random) + word.slice(at + 1)
}

function nonsense(random: Random): string {
  return Array.from({ length: wordUnits }, () => anyLetter(random)).join('')
}

function anyLetter(random: Random): string {
  return String.fromCharCode(97 + Math.floor(random() * 26))
}
