import { describe, expect, it } from 'vitest'
import { readerFor, transcriptReaders } from './readers.ts'

describe('transcriptReaders', () => {
  it('reads Claude Code and Codex', () => {
    expect(transcriptReaders().map(({ agent, label }) => [agent, label])).toEqual([
      ['claude', 'Claude Code'],
      ['codex', 'Codex'],
    ])
  })
})

describe('readerFor', () => {
  it('finds a reader by its agent and none for an agent that is not read', () => {
    expect(readerFor('codex')?.label).toBe('Codex')
    expect(readerFor('cursor')).toBeUndefined()
  })
})
