/** How many calls one message may hold, and how deep it may be nested, on whatever carrier. */

export const maxBatchCalls = 100
export const maxNestingDepth = 128

/** Walks without recursion: a depth bomb must not cost a stack. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxNestingDepth) return true
    const next: unknown[] = []
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue
      for (const child of Object.values(item))
        if (typeof child === 'object' && child !== null) next.push(child)
    }
    level = next
  }
  return false
}
