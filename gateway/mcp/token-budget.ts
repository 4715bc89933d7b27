/**
 * How many tokens an answer costs the model that reads it, and texts made short enough for what may be spent.
 * An answer is given twice, as text and as structure, and a client hands its model one of the two: each is held within
 * the budget by itself.
 */

export const defaultMaxTokens = 4_000
export const leastMaxTokens = 500
export const mostMaxTokens = 50_000

/**
 * UTF-8 bytes ÷ 3, rounded up. No tokenizer is asked, for every model has its own; prose and code take 3 to 5 bytes a
 * token and CJK text about 3, so this errs on the side of too many.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text, 'utf8') / 3)
}

/** @returns at most `maxUnits` UTF-16 units of `text`, never half a character, with `…` behind where something is left out. */
export function cutText(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text
  const end = /[\ud800-\udbff]/.test(text.charAt(maxUnits - 1)) ? maxUnits - 1 : maxUnits
  return `${text.slice(0, Math.max(0, end))}…`
}

/** The longest beginning of `items` that costs at most `maxTokens` as JSON. */
export function fittingItems<Item>(items: readonly Item[], maxTokens: number): Item[] {
  const fitting: Item[] = []
  let leftTokens = maxTokens
  for (const item of items) {
    leftTokens -= estimateTokens(`${JSON.stringify(item)},`)
    if (leftTokens < 0) break
    fitting.push(item)
  }
  return fitting
}

/** The largest whole number from `least` to `most` that `fits`, where all below one that fits do too; null for none. */
export function largestFitting(least: number, most: number, fits: (size: number) => boolean): number | null {
  if (fits(most)) return most
  if (!fits(least)) return null
  let [good, bad] = [least, most]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (fits(middle)) good = middle
    else bad = middle
  }
  return good
}
