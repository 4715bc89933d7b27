/** "Did you mean": the known word closest to one that is not known. */

/** @returns null where no word is near enough to be what was meant. */
export function nearestWord(unknown: string, known: Iterable<string>): string | null {
  const wanted = unknown.toLowerCase()
  let best: { word: string; distance: number } | null = null
  for (const word of known) {
    const distance = editDistance(wanted, word.toLowerCase())
    if (best === null || distance < best.distance) best = { word, distance }
  }
  const mayDiffer = Math.max(1, Math.floor(unknown.length / 3))
  return best !== null && best.distance <= mayDiffer ? best.word : null
}

/** Insertions, deletions, replacements; two neighbours that changed places count once. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        at(last, j) + 1,
        at(row, j - 1) + 1,
        at(last, j - 1) + cost,
        swapped ? at(beforeLast, j - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
