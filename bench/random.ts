/** Seeded randomness: the same seed gives the same corpus and the same answers on every machine. */

/** In [0, 1). */
export type Random = () => number

/** A generator with 32 bits of state (the "mulberry" construction): fast, and good enough to draw words with. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A whole number in [from, to]. */
export function between(random: Random, from: number, to: number): number {
  return from + Math.floor(random() * (to - from + 1))
}

/** @throws Error for an empty list. */
export function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

/** Log-normal: half the draws lie below `median`; `spread` is the standard deviation of the logarithm. */
export function logNormal(random: Random, median: number, spread: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return median * Math.exp(spread * normal)
}

/** @param digits how many hexadecimal digits. */
export function hex(random: Random, digits: number): string {
  let text = ''
  while (text.length < digits)
    text += Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')
  return text.slice(0, digits)
}

/** A version 4 UUID. */
export function uuid(random: Random): string {
  const digits = hex(random, 32)
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20)}`
}
