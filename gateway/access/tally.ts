/** How many of something each key has at this moment, and no more than so many. */

export interface Tally {
  /** @returns how it ends (twice is once), or null where the key has as many already. */
  enter(key: string, most: number): (() => void) | null
  of(key: string): number
}

export function createTally(): Tally {
  const counts = new Map<string, number>()
  return {
    enter(key, most) {
      const now = counts.get(key) ?? 0
      if (now >= most) return null
      counts.set(key, now + 1)
      let isIn = true
      return () => {
        if (!isIn) return
        isIn = false
        const left = (counts.get(key) ?? 1) - 1
        if (left === 0) counts.delete(key)
        else counts.set(key, left)
      }
    },
    of: (key) => counts.get(key) ?? 0,
  }
}
