import { describe, expect, it } from 'vitest'
import { createWatchScreen } from './watch-screen.ts'

function written(isTTY: boolean, texts: readonly string[], columns = 20): string[] {
  const parts: string[] = []
  const screen = createWatchScreen({ write: (text) => parts.push(text), isTTY, columns })
  for (const text of texts) screen.show(text)
  return parts
}

describe('createWatchScreen', () => {
  it('writes over what it wrote before, and nothing where nothing has changed', () => {
    expect(written(true, ['a\nb\n', 'a\nb\n', 'c\n', 'd\n'])).toEqual([
      'a\nb\n',
      '\u001b[2A\u001b[Jc\n',
      '\u001b[1A\u001b[Jd\n',
    ])
  })

  it('cuts what the terminal would break in two, and so lose count of', () => {
    expect(written(true, [`${'x'.repeat(30)}\n`, 'y\n'])).toEqual([
      `${'x'.repeat(18)}…\n`,
      '\u001b[1A\u001b[Jy\n',
    ])
  })

  it('writes each change once, whole, where it is no terminal', () => {
    const long = `${'x'.repeat(30)}\n`
    expect(written(false, [long, long, 'y\n'])).toEqual([long, 'y\n'])
  })
})
