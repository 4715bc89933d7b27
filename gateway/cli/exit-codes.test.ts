import { describe, expect, it } from 'vitest'
import { errorTable, TrawlError } from '../../protocol/rpc/errors.ts'
import { Refusal } from '../refusal.ts'
import { exitCodeOf } from './exit-codes.ts'

describe('exitCodeOf', () => {
  it.each([
    ['usage', 64],
    ['configuration', 78],
    ['permission', 77],
    ['in-use', 2],
    ['gateway-unreachable', 69],
  ] as const)('is for a refusal of kind %s %i', (kind, code) =>
    expect(exitCodeOf(new Refusal(kind, 'x'))).toBe(code),
  )

  it('is for an error of the table what the table says, and 2 for anything else', () => {
    expect(exitCodeOf(new TrawlError('unknown_host'))).toBe(64)
    expect(exitCodeOf(new TrawlError('cancelled'))).toBe(130)
    expect(exitCodeOf(new TypeError('x'))).toBe(errorTable.internal.exitCode)
    expect(exitCodeOf('x')).toBe(2)
  })
})
