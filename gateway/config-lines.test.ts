import { describe, expect, it } from 'vitest'
import { keyLine } from './config-lines.ts'

const text = `# legTimeoutMs = 1
legTimeoutMs = 2
listen = "x"

[[hosts]]
id = "ssh:a"
sources = "not this one"

[sources]
claude = [
  3,
]
"My Agent" = []

[files.roots]
code = "~/src"
a.b = 1
`

describe('keyLine', () => {
  it.each<[PropertyKey[], number | null]>([
    [['legTimeoutMs'], 2],
    [['listen'], 3],
    [['sources', 'claude', 0], 10],
    [['sources', 'My Agent'], 13],
    [['files', 'roots', 'code'], 16],
    [['files', 'roots', 'a', 'b'], 17],
    [['sources'], null],
    [['id'], null],
  ])('finds %j', (path, line) => {
    expect(keyLine(text, path)).toBe(line)
  })
})
