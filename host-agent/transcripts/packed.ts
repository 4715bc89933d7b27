/** Packed transcripts: the port, and what this runtime can unpack. */
import * as zlib from 'node:zlib'
import { zstdFrames } from './zstd-frames.ts'

/** The most that is unpacked at once, as for a document. */
export const maxUnpackedBytes = 64 * 1024 * 1024

/** @throws where the bytes are not whole, or hold more than `maxUnpackedBytes`. */
export type Unpack = (packed: Uint8Array) => Buffer

/** Of the runtime: Node has zstd from 22.15 and 23.8 on. */
type ZstdDecompress = (frame: Uint8Array, options: { maxOutputLength: number }) => Buffer

/** Null on a runtime that has no zstd. @param runtime the functions of `node:zlib`, whatever of them there is. */
export function zstdUnpack(runtime: object = zlib): Unpack | null {
  const decompress: unknown = Reflect.get(runtime, 'zstdDecompressSync')
  if (typeof decompress !== 'function') return null
  return (packed) => {
    try {
      return unpackFrames(packed, decompress as ZstdDecompress)
    } catch (error) {
      const why =
        error instanceof RangeError
          ? `unpacked it is larger than ${maxUnpackedBytes / 2 ** 20} MiB, which is the most that is read at once`
          : 'it cannot be unpacked'
      throw new Error(`The transcript is packed with zstd, and ${why}.`, { cause: error })
    }
  }
}

/** Whether this runtime can unpack zstd. */
export function canUnpackZstd(): boolean {
  return zstdUnpack() !== null
}

/** @returns null on a runtime that has no zstd. @throws as `Unpack`. */
export function unpackZstd(packed: Uint8Array): Buffer | null {
  return zstdUnpack()?.(packed) ?? null
}

/** Node throws a RangeError for what is larger than it may become. */
function unpackFrames(packed: Uint8Array, decompress: ZstdDecompress): Buffer {
  const parts: Buffer[] = []
  let left = maxUnpackedBytes
  for (const frame of zstdFrames(packed)) {
    // At least one byte: an empty frame is nothing that does not fit.
    const part = decompress(frame, { maxOutputLength: Math.max(1, left) })
    if (part.length > left) throw new RangeError('too large')
    left -= part.length
    parts.push(part)
  }
  return Buffer.concat(parts)
}
