import { describe, expect, it } from 'vitest'
import type { FileRow, FileStamp } from '../index/file-rows.ts'
import { decideRead, type ReadDecision } from './read-decision.ts'

const row: FileRow = {
  id: 1,
  path: '/a',
  agent: 'fake',
  root: '/',
  sessionRowId: 1,
  kind: 'session',
  state: 'current',
  device: 1,
  inode: 2,
  sizeBytes: 100,
  mtimeMs: 1000,
  beside: '',
  byteOffset: 90,
  tailHash: 'x',
  messageCount: 1,
  rewrites: 0,
  failCount: 0,
  purgedMs: null,
}
const stamp: FileStamp = { device: 1, inode: 2, sizeBytes: 100, mtimeMs: 1000, beside: '' }

describe('decideRead', () => {
  const cases: [string, Partial<FileRow> | null, Partial<FileStamp>, ReadDecision][] = [
    ['a file that is not known', null, {}, 'whole'],
    ['an unchanged file', {}, {}, 'covered'],
    ['an unchanged file that another one shadows', { state: 'shadowed', byteOffset: 0 }, {}, 'covered'],
    ['a file that has grown', {}, { sizeBytes: 120, mtimeMs: 2000 }, 'append'],
    ['a file that has grown within one tick of its clock', {}, { sizeBytes: 120 }, 'append'],
    ['a file beside which something has changed', {}, { beside: '7 7' }, 'append'],
    ['a file that has shrunk', {}, { sizeBytes: 80, mtimeMs: 2000 }, 'whole'],
    ['a file that was written over at the same size', {}, { mtimeMs: 2000 }, 'whole'],
    ['another file of the same name, size and time', {}, { inode: 3 }, 'whole'],
    ['another file of the same name that is longer', {}, { inode: 3, sizeBytes: 120 }, 'whole'],
    ['a file on another disk', {}, { device: 9, sizeBytes: 120 }, 'whole'],
    ['a shadowed file that has grown', { state: 'shadowed', byteOffset: 0 }, { sizeBytes: 120 }, 'whole'],
    ['a file read in part', { state: 'due', byteOffset: 50 }, {}, 'append'],
    ['a file read in part that is shorter now', { state: 'due', byteOffset: 50 }, { sizeBytes: 40 }, 'whole'],
    ['a file that came out of a shadow', { state: 'due', byteOffset: 0 }, {}, 'whole'],
    ['a file that failed once', { state: 'failed', failCount: 1 }, {}, 'whole'],
    ['a file that failed twice', { state: 'failed', failCount: 2 }, {}, 'whole'],
    ['a file that failed three times', { state: 'failed', failCount: 3 }, {}, 'held-out'],
    [
      'a file that failed three times and has changed',
      { state: 'failed', failCount: 3 },
      { mtimeMs: 2000 },
      'whole',
    ],
  ]
  it.each(cases)('decides for %s', (_, known, seen, decision) => {
    expect(
      decideRead(known === null ? null : { ...row, ...known }, { ...stamp, ...seen }, 'lines', null),
    ).toBe(decision)
  })

  const retention: [string, Partial<FileRow> | null, Partial<FileStamp>, number | null, ReadDecision][] = [
    ['a new file from before what is kept', null, {}, 1001, 'too-old'],
    ['a new file written at the very limit', null, {}, 1000, 'whole'],
    ['a purged file', { state: 'purged', purgedMs: 900 }, {}, 950, 'too-old'],
    ['a purged file that was copied later', { state: 'purged', purgedMs: 500 }, {}, 950, 'too-old'],
    ['a purged file once more is kept', { state: 'purged', purgedMs: 900 }, {}, 900, 'whole'],
    ['a purged file once all is kept', { state: 'purged', purgedMs: 900 }, {}, null, 'whole'],
    [
      'a purged file that was written to',
      { state: 'purged', purgedMs: 900 },
      { mtimeMs: 2000 },
      1500,
      'whole',
    ],
    ['a covered file, whatever its age', {}, {}, 5000, 'covered'],
  ]
  it.each(retention)('decides by age for %s', (_, known, seen, keptSinceMs, decision) => {
    const found = known === null ? null : { ...row, ...known }
    expect(decideRead(found, { ...stamp, ...seen }, 'lines', keptSinceMs)).toBe(decision)
  })

  it('leaves it to what is read whole to find what of it is new, in a new file as well', () => {
    const seen = { ...stamp, inode: 3, sizeBytes: 80, mtimeMs: 2000 }
    expect(decideRead(row, seen, 'document', null)).toBe('append')
    expect(decideRead(row, stamp, 'document', null)).toBe('covered')
    expect(decideRead({ ...row, state: 'shadowed', byteOffset: 0 }, seen, 'database', null)).toBe('whole')
  })
})
