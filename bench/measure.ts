/** Times, and what is said of many of them. */

/** Runs `work` once. @returns how long it took, in milliseconds. */
export async function timeMs(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

/** @param share 0.5 is the median. @throws Error where nothing was measured. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
  if (value === undefined) throw new Error('nothing was measured')
  return value
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

export interface Rounds {
  /** Run first, and not counted. */
  readonly warmUp: number
  readonly counted: number
}

/**
 * Measures two things by turns, so that whatever else the machine does falls on both alike; who goes first changes
 * with every round.
 * @returns the times of each, in milliseconds, the warm-up left out.
 */
export async function measureByTurns(
  a: () => Promise<void>,
  b: () => Promise<void>,
  rounds: Rounds,
): Promise<{ aMs: number[]; bMs: number[] }> {
  const aMs: number[] = []
  const bMs: number[] = []
  for (let round = -rounds.warmUp; round < rounds.counted; round++) {
    const aFirst = round % 2 === 0
    const first = await timeMs(aFirst ? a : b)
    const second = await timeMs(aFirst ? b : a)
    if (round < 0) continue
    aMs.push(aFirst ? first : second)
    bMs.push(aFirst ? second : first)
  }
  return { aMs, bMs }
}
