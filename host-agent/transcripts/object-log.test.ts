import { describe, expect, it } from 'vitest'
import { replayObjectLog } from './object-log.ts'

const replay = (...entries: readonly (object | string)[]) =>
  replayObjectLog(
    Buffer.from(
      entries.map((entry) => `${typeof entry === 'string' ? entry : JSON.stringify(entry)}\n`).join(''),
    ),
  )
const initial = (v: unknown) => ({ kind: 0, v })

describe('replayObjectLog', () => {
  it('sets, pushes, replaces from a place on, and deletes', () => {
    const { value, badLines } = replay(
      initial({ title: 'a', list: [{ words: ['x'] }], gone: 1 }),
      { kind: 1, k: ['title'], v: 'b' },
      { kind: 2, k: ['list', 0, 'words'], v: ['y', 'z'] },
      { kind: 2, k: ['list', 0, 'words'], v: ['w'], i: 1 },
      { kind: 1, k: ['list', 1], v: 'second' },
      { kind: 2, k: ['fresh'], v: [1] },
      { kind: 3, k: ['gone'] },
    )
    expect(value).toEqual({ title: 'b', list: [{ words: ['x', 'w'] }, 'second'], fresh: [1] })
    expect(badLines).toBe(0)
  })

  it('begins anew with a later first state', () => {
    expect(replay(initial({ a: 1 }), initial({ b: 2 })).value).toEqual({ b: 2 })
  })

  it('shortens a list where nothing is pushed', () => {
    expect(replay(initial({ a: [1, 2, 3] }), { kind: 2, k: ['a'], i: 1 }).value).toEqual({ a: [1] })
  })

  it('counts changes that lead nowhere, kinds it does not know, and lines that are no JSON', () => {
    const { value, badLines } = replay(
      { kind: 1, k: ['early'], v: 1 },
      initial({ list: [] }),
      { kind: 1, k: ['list', 4, 'x'], v: 1 },
      { kind: 1, k: ['list', 9], v: 1 },
      { kind: 9, k: ['list'], v: 1 },
      '{torn',
    )
    expect(value).toEqual({ list: [] })
    expect(badLines).toBe(5)
  })

  it('lets a log reach no prototype', () => {
    const { badLines } = replay(
      initial({}),
      { kind: 1, k: ['__proto__', 'polluted'], v: true },
      {
        kind: 1,
        k: ['constructor', 'prototype', 'polluted'],
        v: true,
      },
    )
    expect(badLines).toBe(2)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})
