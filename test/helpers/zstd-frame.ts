/** A zstd frame made by hand, for Nodes that have no zstd: one block, stored as it is. */

/** @param content at most 128 KiB, which is the most one block may hold. */
export function zstdFrame(content: Buffer): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt32LE(0xfd2fb528, 0)
  // One segment; the content's size stands in four bytes.
  head.writeUInt8(0xa0, 4)
  head.writeUInt32LE(content.length, 5)
  // The last block, of type raw.
  head.writeUIntLE((content.length << 3) | 1, 9, 3)
  return Buffer.concat([head, content])
}
