import { describe, expect, it } from 'vitest'
import { readArguments } from './arguments.ts'

const flags = { host: { kind: 'text' }, agent: { kind: 'list' }, json: { kind: 'switch' } } as const
const read = (...args: string[]) => readArguments(args, 'trawl search', flags)

describe('readArguments', () => {
  it('reads words, values, lists and switches in any order', () => {
    const given = read('a', '--agent', 'claude', 'b c', '--json', '--agent=codex', '--host', 'ssh:x')
    expect(given.words).toEqual(['a', 'b c'])
    expect(given.list('agent')).toEqual(['claude', 'codex'])
    expect(given.text('host')).toBe('ssh:x')
    expect(given.isSet('json')).toBe(true)
    expect(given.isSet('help')).toBe(false)
    expect(given.text('cursor')).toBeUndefined()
  })

  it('takes everything after -- for words, and a value that looks like a flag after =', () => {
    expect(read('--', '--json', '-x').words).toEqual(['--json', '-x'])
    expect(read('--host=--odd').text('host')).toBe('--odd')
  })

  it('takes a word with a minus for a word where the command has such words', () => {
    const words = (...args: string[]) => readArguments(args, 'trawl search', flags, 'words').words
    expect(words('needle', '-draft', '--json', '-agent:codex', '-"two words"')).toEqual([
      'needle',
      '-draft',
      '-agent:codex',
      '-"two words"',
    ])
    expect(() => words('-json')).toThrow('There is no flag -json. Did you mean --json?')
    expect(() => words('-x')).toThrow('There is no flag -x.')
    expect(() => read('-draft')).toThrow('There is no flag -d.')
  })

  it('knows -h', () => expect(read('-h').isSet('help')).toBe(true))

  it.each([
    [['--hots', 'x'], 'There is no flag --hots. Did you mean --host? See: trawl search --help'],
    [['--frobnicate'], 'There is no flag --frobnicate. See: trawl search --help'],
    [['-x'], 'There is no flag -x.'],
    [['--__proto__'], 'There is no flag --__proto__.'],
    [['--toString'], 'There is no flag --toString.'],
    [['--host'], '--host needs a value.'],
    [['--host', '--json'], '--host needs a value.'],
    [['--json=yes'], '--json takes no value.'],
    [['--host', 'a', '--host', 'b'], '--host is given twice.'],
  ])('refuses %j', (args, sentence) => {
    expect(() => read(...args)).toThrow(sentence)
    expect(() => read(...args)).toThrow(expect.objectContaining({ kind: 'usage' }))
  })
})
