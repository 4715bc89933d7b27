/** Cuts the bytes of a transcript into its lines, however the bytes arrive, with bounded memory. */

/** A longer line is passed over: one line of hundreds of megabytes must not take the process with it. */
const maxLineBytes = 16 * 1024 * 1024

/** One line that is complete, its newline having been read. */
export interface TranscriptLine {
  /** Without its newline and the carriage return before it; null for a line that is too long to be read. */
  readonly text: string | null
  /** The byte in the file just after the newline: where reading goes on after this line. */
  readonly endOffset: number
}

export interface SplitOptions {
  /** Where in the file the first chunk begins, in bytes; it must be the start of a line. Default 0. */
  readonly startOffset?: number
  /** Default 16 MiB, the newline not counted. */
  readonly maxLineBytes?: number
}

export interface LineSplitter {
  /** The lines that end in this chunk. The chunk may be reused once the last of them was taken. */
  push(chunk: Buffer): Generator<TranscriptLine, void, undefined>
  /** The byte after the last newline seen. An unterminated last line begins here and is read again from here. */
  resumeOffset(): number
}

const newline = 0x0a
const carriageReturn = 0x0d

/**
 * Splits on byte 0x0A only (never on U+2028 and its like). Invalid UTF-8 becomes U+FFFD.
 * For a source that is read asynchronously; `splitLines` is the same over an iterable.
 */
export function lineSplitter(options: SplitOptions = {}): LineSplitter {
  const limitBytes = options.maxLineBytes ?? maxLineBytes
  let offset = options.startOffset ?? 0
  let pending: Buffer[] = []
  let pendingBytes = 0
  let tooLong = false

  /** Keeps the start of a line whose end has not come yet; the chunk belongs to the caller, so it is copied. */
  function hold(part: Buffer): void {
    if (part.length === 0) return
    pendingBytes += part.length
    // A carriage return may still be the last byte, hence the one byte of grace.
    if (tooLong || pendingBytes > limitBytes + 1) {
      tooLong = true
      pending = []
      return
    }
    pending.push(Buffer.from(part))
  }

  function finish(chunk: Buffer, start: number, end: number): string | null {
    if (pendingBytes === 0) return decode(chunk, start, end, limitBytes)
    hold(chunk.subarray(start, end))
    const whole = tooLong ? null : Buffer.concat(pending, pendingBytes)
    pending = []
    pendingBytes = 0
    tooLong = false
    return whole === null ? null : decode(whole, 0, whole.length, limitBytes)
  }

  function* push(chunk: Buffer): Generator<TranscriptLine, void, undefined> {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      offset += pendingBytes + (end - start) + 1
      const text = finish(chunk, start, end)
      start = end + 1
      yield { text, endOffset: offset }
    }
    hold(chunk.subarray(start))
  }

  return { push, resumeOffset: () => offset }
}

/** Every complete line of a file given as successive chunks. An unterminated last line is not yielded. */
export function* splitLines(
  chunks: Iterable<Buffer>,
  options: SplitOptions = {},
): Generator<TranscriptLine, void, undefined> {
  const splitter = lineSplitter(options)
  for (const chunk of chunks) yield* splitter.push(chunk)
}

// Decoding lines of plain ASCII as latin1 was measured: it is not faster once the line is parsed as well.
function decode(bytes: Buffer, start: number, end: number, limitBytes: number): string | null {
  const textEnd = end > start && bytes[end - 1] === carriageReturn ? end - 1 : end
  return textEnd - start > limitBytes ? null : bytes.toString('utf8', start, textEnd)
}
