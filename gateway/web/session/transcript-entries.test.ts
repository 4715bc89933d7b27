import { describe, expect, it } from 'vitest'
import { type Entry, entriesOf, namesOf } from './transcript-entries.ts'

const message = (index: number, role: 'user' | 'assistant' | 'tool', text: string) => ({
  index,
  role,
  text,
  timestamp: null,
})
const tools = (...texts: string[]) => {
  const [entry] = entriesOf(texts.map((text, index) => message(index, 'tool', text)))
  if (entry?.kind !== 'tools') throw new Error('no run')
  return entry
}
const shape = (entry: Entry) =>
  `${entry.subagent === null ? '' : `#${entry.subagent} `}${entry.kind === 'said' ? entry.message.text : entry.steps.length}`

describe('entriesOf', () => {
  it('folds the tools between two messages into one run', () => {
    const roles = ['user', 'tool', 'tool', 'assistant', 'tool', 'user'] as const
    const entries = entriesOf(roles.map((role, index) => message(index, role, role)))
    expect(entries.map(shape)).toEqual(['user', '2', 'assistant', '1', 'user'])
  })

  it('says where the messages of each subagent begin, whatever they begin with', () => {
    const unit = 1_048_576
    const entries = entriesOf([
      message(0, 'user', 'a'),
      message(1, 'tool', 'Task: x'),
      message(unit, 'tool', 'Read: y'),
      message(unit + 1, 'assistant', 'b'),
      message(2 * unit, 'user', 'c'),
    ])
    expect(entries.map(shape)).toEqual(['a', '1', '#1 1', 'b', '#2 c'])
    expect(entriesOf([message(unit + 5, 'user', 'middle')]).map(shape)).toEqual(['middle'])
  })

  it('tells calls from their results, as far as their words do', () => {
    const run = tools(
      'Bash: git log',
      'fix: the loop',
      'Read: /a.ts',
      'Error: no such file',
      'mcp__x__y',
      'fine',
    )
    expect(run.steps.map(({ call }) => call)).toEqual([
      { name: 'Bash', argument: 'git log' },
      null,
      { name: 'Read', argument: '/a.ts' },
      null,
      { name: 'mcp__x__y', argument: '' },
      null,
    ])
    expect(namesOf(run)).toBe('Bash, Read, mcp__x__y')
    expect(namesOf(tools('shell: ls', 'shell: pwd', 'a', '/b'))).toBe('shell ×2')
    expect(tools('two\nlines').steps[0]?.call).toBe(null)
  })
})
