/**
 * The rows of one batch as bytes. A cold index moves hundreds of thousands of them from the thread that reads to the one
 * that writes: two buffers change hands where strings would be copied, and SQLite takes UTF-8 as it is.
 */
import type { MessageRow } from './message-rows.ts'

export interface PackedRows {
  readonly count: number
  /** For each row its text, what FTS5 is handed where that is another text, and its identifiers, in UTF-8. */
  readonly bytes: Uint8Array
  /** For each row: position, role, time (NaN for none), and the three lengths in `bytes`. */
  readonly table: Float64Array
}

/** One row on its way into SQLite. The texts are views of the batch's bytes, to be bound and cast. */
export interface UnpackedRow {
  readonly position: number
  readonly role: number
  readonly timestampMs: number | null
  readonly text: Uint8Array
  readonly searchable: Uint8Array
  readonly identifiers: Uint8Array
}

const fieldsPerRow = 6
const smallestBytes = 4096

export class RowPacker {
  #buffer: Buffer
  #used = 0
  #table: number[] = []

  /** @param expectedBytes a guess of how much will come; more is no error. */
  constructor(expectedBytes: number) {
    this.#buffer = Buffer.allocUnsafeSlow(Math.max(smallestBytes, expectedBytes))
  }

  get bytes(): number {
    return this.#used
  }

  add({ position, role, timestampMs, text, searchable, identifiers }: MessageRow): void {
    this.#table.push(
      position,
      role,
      timestampMs ?? Number.NaN,
      this.#write(text),
      searchable === null ? 0 : this.#write(searchable),
      this.#write(identifiers),
    )
  }

  /** The buffers belong to whoever takes them; this packer is empty then. */
  take(): PackedRows {
    const packed: PackedRows = {
      count: this.#table.length / fieldsPerRow,
      bytes: this.#buffer.subarray(0, this.#used),
      table: Float64Array.from(this.#table),
    }
    this.#buffer = Buffer.allocUnsafeSlow(smallestBytes)
    this.#used = 0
    this.#table = []
    return packed
  }

  /** A lone surrogate becomes U+FFFD. @returns how many bytes it took. */
  #write(text: string): number {
    if (text === '') return 0
    const most = this.#used + text.length * 3
    if (most > this.#buffer.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(most, this.#buffer.length * 2))
      this.#buffer.copy(grown, 0, 0, this.#used)
      this.#buffer = grown
    }
    const written = this.#buffer.write(text, this.#used, 'utf8')
    this.#used += written
    return written
  }
}

export function* unpackRows({ count, bytes, table }: PackedRows): Generator<UnpackedRow, void, undefined> {
  let at = 0
  const next = (length: number): Uint8Array => {
    at += length
    return bytes.subarray(at - length, at)
  }
  for (let row = 0; row < count; row++) {
    const field = (index: number): number => table[row * fieldsPerRow + index] ?? Number.NaN
    const text = next(field(3))
    const searchable = field(4) === 0 ? text : next(field(4))
    const timestampMs = field(2)
    yield {
      position: field(0),
      role: field(1),
      timestampMs: Number.isNaN(timestampMs) ? null : timestampMs,
      text,
      searchable,
      identifiers: next(field(5)),
    }
  }
}
