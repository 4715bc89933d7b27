/**
 * Real text to make transcripts of: what lies in `node_modules` anyway (manuals, type declarations, sources) is read
 * when a corpus is made, so that nothing of it needs to be copied into this repository. The same lock file gives the
 * same words on every machine.
 */
import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from './random.ts'

/** Enough text for a vocabulary of tens of thousands; more would only make the start slower. */
const maxManualBytes = 8_000_000
const maxSourceBytes = 24_000_000
/** No one package is to speak for all. */
const maxSourceBytesPerPackage = 600_000
const maxFileBytes = 200_000
const maxLineUnits = 240
/** Of the table that words are drawn from: a word's share of its slots is its frequency. */
const slotBits = 20

export interface ReadingMatter {
  /** Most frequent first. */
  readonly words: readonly string[]
  /** Files as lists of lines. */
  readonly sources: readonly (readonly string[])[]
}

/** @throws Error when there is too little text: the packages are not installed. */
export function collectReadingMatter(packagesDir: string): ReadingMatter {
  const counts = new Map<string, number>()
  const sources: string[][] = []
  let manualBytes = 0
  let sourceBytes = 0
  for (const dir of packageDirs(packagesDir)) {
    let ofThisPackage = 0
    for (const path of textFiles(dir)) {
      const isManual = path.endsWith('.md')
      if (isManual ? manualBytes > maxManualBytes : ofThisPackage > maxSourceBytesPerPackage) continue
      if (!isManual && sourceBytes > maxSourceBytes) continue
      const text = readFileSync(path, 'utf8')
      if (text.length > maxFileBytes) continue
      if (isManual) manualBytes += text.length
      else ofThisPackage += text.length
      countWords(text, counts)
      const lines = text.split('\n').filter((line) => line.length <= maxLineUnits)
      if (lines.length >= 20) sources.push(lines)
    }
    sourceBytes += ofThisPackage
  }
  // Equal counts are ordered by the word, so that the rank does not hang on what was read first.
  const words = [...counts]
    .toSorted(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
    .map(([word]) => word)
  if (words.length < 5000) throw new Error('node_modules holds too little text. Run: npm ci')
  return { words, sources }
}

/**
 * Draws words by Zipf's law: the word of rank r comes with a frequency of about 1 ÷ r, as in any natural text.
 * One draw is one look into a table.
 */
export function zipfDraw(words: readonly string[], random: Random): () => string {
  const weights = words.map((_, rank) => 1 / (rank + 2.7))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const slots = new Uint32Array(2 ** slotBits)
  let rank = 0
  let reached = weights[0] ?? 0
  for (let slot = 0; slot < slots.length; slot++) {
    while (reached < ((slot + 0.5) / slots.length) * total && rank < words.length - 1) {
      rank++
      reached += weights[rank] ?? 0
    }
    slots[slot] = rank
  }
  return () => words[slots[Math.floor(random() * slots.length)] ?? 0] ?? ''
}

function packageDirs(packagesDir: string): string[] {
  return sortedEntries(packagesDir).flatMap((entry) => {
    const dir = join(packagesDir, entry.name)
    // Packages for one platform alone would make the text differ from machine to machine.
    if (!entry.isDirectory() || /^\.|linux|darwin|win32/.test(entry.name)) return []
    return entry.name.startsWith('@') ? packageDirs(dir) : [dir]
  })
}

function* textFiles(dir: string): Generator<string, void, undefined> {
  for (const entry of sortedEntries(dir)) {
    const path = join(dir, entry.name)
    if (entry.isDirectory() && entry.name !== 'node_modules') yield* textFiles(path)
    else if (entry.isFile() && /\.(?:md|ts|js|mjs|cjs)$/.test(entry.name) && !/\.min\./.test(entry.name))
      yield path
  }
}

function sortedEntries(dir: string): Dirent[] {
  return readdirSync(dir, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function countWords(text: string, counts: Map<string, number>): void {
  for (const [word] of text.matchAll(/[A-Za-z]{2,24}/g)) {
    const lower = word.toLowerCase()
    counts.set(lower, (counts.get(lower) ?? 0) + 1)
  }
}
