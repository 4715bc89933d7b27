import { describe, expect, it } from 'vitest'
import { cutTitle, fallbackTitle, recordedPath, sessionIdOfFile, titleSource } from './session-names.ts'

describe('cutTitle', () => {
  it('collapses white space', () => {
    expect(cutTitle('  fix\n\tthe   loop ')).toBe('fix the loop')
  })

  it('keeps 96 characters and drops the next', () => {
    expect(cutTitle('a'.repeat(96))).toBe('a'.repeat(96))
    expect(cutTitle('a'.repeat(97))).toBe('a'.repeat(96))
  })

  it('never cuts what is seen as one character', () => {
    const family = '👨‍👩‍👧'
    expect(cutTitle(`${'a'.repeat(94)}${family}b`)).toBe('a'.repeat(94))
    expect(cutTitle(`${'a'.repeat(95)}e\u0301`)).toBe('a'.repeat(95))
  })

  it('cuts one endless character all the same', () => {
    expect(cutTitle(`e${'\u0301'.repeat(500)}`)).toHaveLength(96)
  })
})

describe('titleSource', () => {
  it('keeps the first words of a long text, and nothing of a blank one', () => {
    expect(titleSource(`fix  it ${'x'.repeat(10_000)}`)).toHaveLength(400)
    expect(titleSource(' \n ')).toBeNull()
  })
})

describe('sessionIdOfFile', () => {
  it('takes the trailing UUID, else the name', () => {
    const id = '019b2ea4-aaaa-bbbb-cccc-58208e1f0000'
    expect(sessionIdOfFile(`2026/02/04/rollout-2026-02-04T10-00-00-${id}.jsonl`)).toBe(id)
    expect(sessionIdOfFile('-tmp/ses_small.jsonl')).toBe('ses_small')
    expect(sessionIdOfFile(`2026/02/04/rollout-2026-02-04T10-00-00-${id}.jsonl.zst`)).toBe(id)
  })
})

describe('fallbackTitle', () => {
  it('is the label and the first eight characters of the id', () => {
    expect(fallbackTitle('Codex', '019b2ea4-aaaa')).toBe('Codex 019b2ea4')
  })
})

describe('recordedPath', () => {
  it('takes absolute paths of any system and nothing else', () => {
    expect(['/w', 'C:\\w', 'c:/w', '\\\\host\\w'].map(recordedPath)).toEqual([
      '/w',
      'C:\\w',
      'c:/w',
      '\\\\host\\w',
    ])
    expect(['', 'w', '~/w', '[trimmed]', 7, null].map(recordedPath)).toEqual(Array(6).fill(null))
  })
})
