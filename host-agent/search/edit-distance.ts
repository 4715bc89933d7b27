/** How many slips lie between two words, and what one slip near the head of a word can have made of it. */

/**
 * Insertions, deletions, substitutions and swaps of neighbours, each letter touched once (optimal string alignment), by
 * UTF-16 units.
 * @returns the number of slips, or `atMost + 1` as soon as it is known to be more.
 */
export function slipsBetween(a: string, b: string, atMost: number): number {
  const tooMany = atMost + 1
  if (Math.abs(a.length - b.length) > atMost) return tooMany
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let slips = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        slips = Math.min(slips, (beforeLast[j - 2] ?? 0) + 1)
      row.push(slips)
      least = Math.min(least, slips)
    }
    if (least > atMost) return tooMany
    beforeLast = last
    last = row
  }
  return Math.min(last[b.length] ?? tooMany, tooMany)
}

/** The most frequent first, in English and in identifiers alike. */
const alphabet = 'etaoinsrlcdpumhfgbywvkxjqz'

/**
 * What one slip within the first `headUnits` letters can have made `word` of, by kind, the likeliest kind first: swapped
 * neighbours; a letter too many; another letter or a letter too few, the likeliest letters first. Letters are those of
 * the Latin alphabet.
 */
export function slipsInHead(word: string, headUnits: number): string[][] {
  const places = Array.from({ length: Math.min(headUnits, word.length) }, (_, at) => at)
  const spliced = (from: number, to: number, letters: string) =>
    word.slice(0, from) + letters + word.slice(to)
  const kinds = [
    places.map((at) => spliced(at, at + 2, (word[at + 1] ?? '') + (word[at] ?? ''))),
    places.map((at) => spliced(at, at + 1, '')),
    [...alphabet].flatMap((letter) =>
      places.flatMap((at) => [spliced(at, at + 1, letter), spliced(at, at, letter)]),
    ),
  ]
  return kinds.map((words) => [...new Set(words)].filter((each) => each !== word))
}
