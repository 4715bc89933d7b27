/** How fast a pass gets on, from its last half minute: the files of one agent read faster than those of the next. */

const windowMs = 30_000
/** Before this much time, and this share of the work, there is no rate worth telling. */
const minMs = 500
const minShare = 1 / 200
const samples = 60

interface Sample {
  readonly atMs: number
  readonly bytes: number
}

export class WorkRate {
  readonly #nowMs: () => number
  #samples: Sample[] = []
  #minBytes = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** @param totalBytes of the work. */
  begin(totalBytes: number): void {
    this.#minBytes = totalBytes * minShare
    this.#samples = [{ atMs: this.#nowMs(), bytes: 0 }]
  }

  /** @param bytes done since `begin`. */
  done(bytes: number): void {
    const atMs = this.#nowMs()
    const kept = this.#samples.at(-2)
    if (kept !== undefined && atMs - kept.atMs < windowMs / samples) this.#samples.pop()
    this.#samples.push({ atMs, bytes })
    while (this.#samples.length > 2 && atMs - (this.#samples[1]?.atMs ?? atMs) >= windowMs)
      this.#samples.shift()
  }

  /** Null before there is anything to tell it from. */
  bytesPerSec(): number | null {
    const first = this.#samples[0]
    const last = this.#samples.at(-1)
    if (first === undefined || last === undefined || last.bytes === first.bytes) return null
    if (last.bytes < this.#minBytes) return null
    // What takes long now counts as well.
    const ms = Math.max(this.#nowMs(), last.atMs) - first.atMs
    return ms < minMs ? null : Math.round(((last.bytes - first.bytes) * 1000) / ms)
  }

  msFor(bytes: number): number | null {
    const rate = this.bytesPerSec()
    return rate === null || rate === 0 ? null : Math.round((bytes * 1000) / rate)
  }
}
