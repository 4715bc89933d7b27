/**
 * Cuts packed bytes into zstd's frames by their headers (RFC 8878), without unpacking them. Needed because Node's
 * zstd unpacks no more than the first frame, and gives what there is of a torn one without a word.
 */

/** @throws where the bytes are no frames, or the last one is not whole. */
export function zstdFrames(bytes: Uint8Array): readonly Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const frames: Uint8Array[] = []
  let at = 0
  try {
    while (at < bytes.length) {
      const magic = view.getUint32(at, true)
      if ((magic & 0xfffffff0) >>> 0 === skippableMagic) {
        at += 8 + view.getUint32(at + 4, true)
      } else if (magic === frameMagic) {
        const end = frameEnd(view, at)
        frames.push(bytes.subarray(at, end))
        at = end
      } else throw new RangeError('no frame')
      if (at > bytes.length) throw new RangeError('a frame goes on behind the end')
    }
  } catch (error) {
    throw new Error('not whole frames of zstd', { cause: error })
  }
  return frames
}

const frameMagic = 0xfd2fb528
/** Its last four bits may be anything. */
const skippableMagic = 0x184d2a50

const dictionaryIdBytes = [0, 1, 2, 4]
const contentSizeBytes = [0, 2, 4, 8]

/** Every read is checked by the view: what lies behind the end is a RangeError. */
function frameEnd(view: DataView, start: number): number {
  const descriptor = view.getUint8(start + 4)
  const singleSegment = (descriptor & 0x20) !== 0
  const hasChecksum = (descriptor & 0x04) !== 0
  const sizeFlag = descriptor >> 6
  const sizeBytes = sizeFlag === 0 && singleSegment ? 1 : (contentSizeBytes[sizeFlag] ?? 0)
  let at = start + 5 + (singleSegment ? 0 : 1) + (dictionaryIdBytes[descriptor & 0x03] ?? 0) + sizeBytes
  for (let last = false; !last; ) {
    const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
    last = (header & 1) !== 0
    const isRun = ((header >> 1) & 3) === 1
    at += 3 + (isRun ? 1 : header >> 3)
  }
  return at + (hasChecksum ? 4 : 0)
}
