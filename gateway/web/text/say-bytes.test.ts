/** Sizes as people read them. */
import { expect, it } from 'vitest'
import { sayBytes } from './say-bytes.ts'

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [10_240, '10 KiB'],
  [1_048_575, '1 MiB'],
  [5 * 1024 ** 3, '5 GiB'],
])('says %d bytes as %s', (bytes, words) => {
  expect(sayBytes(bytes)).toBe(words)
})
