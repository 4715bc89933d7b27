import * as zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { canUnpackZstd, maxUnpackedBytes, unpackZstd, zstdUnpack } from './packed.ts'
import { zstdFrames } from './zstd-frames.ts'

type Compress = (bytes: Buffer, options?: object) => Buffer
const runtimeCompress: unknown = Reflect.get(zlib, 'zstdCompressSync')
const hasZstd = typeof runtimeCompress === 'function'
const compress = runtimeCompress as Compress

/** A frame of one block that is stored as it is. */
const stored = (text: string, last = 1) =>
  Buffer.concat([
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, text.length]),
    Buffer.from([(text.length << 3) | last, 0, 0]),
    Buffer.from(text),
  ])

describe('zstdFrames', () => {
  it('cuts frames apart, and leaves out what may be skipped', () => {
    const skippable = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3])
    const frames = zstdFrames(Buffer.concat([stored('one'), skippable, stored('four')]))
    expect(frames.map((bytes) => Buffer.from(bytes))).toEqual([stored('one'), stored('four')])
    expect(zstdFrames(Buffer.alloc(0))).toEqual([])
  })

  it('knows the lengths of a frame’s optional fields', () => {
    const withWindow = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x00, 0x01, 0x00, 0x00, 9, 9, 9, 9])
    expect(zstdFrames(withWindow)).toHaveLength(1)
    const run = Buffer.from([
      0x28,
      0xb5,
      0x2f,
      0xfd,
      0x60,
      0,
      1,
      ((200 << 3) & 0xff) | 3,
      (200 << 3) >> 8,
      0,
      65,
    ])
    expect(zstdFrames(run)).toHaveLength(1)
  })

  it('refuses a frame that is cut anywhere', () => {
    const whole = stored('a whole frame')
    for (let end = 1; end < whole.length; end++)
      expect(() => zstdFrames(whole.subarray(0, end)), `cut at ${end}`).toThrow('not whole')
    expect(() => zstdFrames(stored('more to come', 0))).toThrow('not whole')
  })

  it('refuses what is no frame, also behind one', () => {
    expect(() => zstdFrames(Buffer.from('no frame at all'))).toThrow('not whole')
    expect(() => zstdFrames(Buffer.concat([stored('x'), Buffer.from('garbage')]))).toThrow('not whole')
  })
})

describe('zstdUnpack', () => {
  it('is null on a runtime without zstd', () => {
    expect(zstdUnpack({})).toBeNull()
    expect(zstdUnpack({ zstdDecompressSync: 'no function' })).toBeNull()
  })

  it('asks the runtime for each frame, and for no more than is left of what may be unpacked', () => {
    const asked: unknown[] = []
    const unpack = zstdUnpack({
      zstdDecompressSync: (bytes: Uint8Array, options: unknown) => {
        asked.push(options)
        return Buffer.from(bytes).subarray(9)
      },
    })
    expect(unpack?.(Buffer.concat([stored('one '), stored('two')])).toString()).toBe('one two')
    expect(asked).toEqual([{ maxOutputLength: maxUnpackedBytes }, { maxOutputLength: maxUnpackedBytes - 4 }])
  })

  it.each([
    ['too large', new RangeError('Cannot create a Buffer larger than x'), /larger than 64 MiB/],
    ['broken', new Error('Data corruption detected'), /cannot be unpacked/],
  ])('says that a transcript is %s', (_name, error, message) => {
    const unpack = zstdUnpack({
      zstdDecompressSync: () => {
        throw error
      },
    })
    expect(() => unpack?.(stored('x'))).toThrow(message)
    expect(() => unpack?.(stored('x').subarray(0, 5))).toThrow(/cannot be unpacked/)
  })

  it('answers for this runtime', () => {
    expect(canUnpackZstd()).toBe(hasZstd)
    expect(unpackZstd(stored('read me'))?.toString() ?? null).toBe(hasZstd ? 'read me' : null)
  })

  it.skipIf(!hasZstd)(
    'unpacks what this runtime packs, and refuses what is torn (skipped before Node 22.15)',
    () => {
      const text = 'a line\n'.repeat(1000)
      const packed = compress(Buffer.from(text))
      expect(unpackZstd(packed)?.toString()).toBe(text)
      expect(unpackZstd(Buffer.concat([packed, packed]))?.toString()).toBe(text + text)
      for (let end = 1; end < packed.length; end++)
        expect(() => unpackZstd(packed.subarray(0, end)), `cut at ${end}`).toThrow(/cannot be unpacked/)
      const checksummed = compress(Buffer.from(text), {
        params: { [Reflect.get(zlib.constants, 'ZSTD_c_checksumFlag') as number]: 1 },
      })
      expect(unpackZstd(checksummed)?.toString()).toBe(text)
      expect(() => unpackZstd(compress(Buffer.alloc(maxUnpackedBytes + 1)))).toThrow(/larger than 64 MiB/)
    },
  )
})
