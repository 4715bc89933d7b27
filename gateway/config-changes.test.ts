import { describe, expect, it } from 'vitest'
import { parseConfig } from './config.ts'
import { settingsThatNeedRestart } from './config-changes.ts'

const read = (text: string) =>
  parseConfig(text, {
    file: '/etc/trawl/config.toml',
    homeDir: '/home/mira',
    isOpenToOthers: false,
    isThere: true,
  })

describe('settingsThatNeedRestart', () => {
  it.each([
    ['listen', 'listen = "127.0.0.1:9000"'],
    ['publicUrls', 'publicUrls = ["https://trawl.example"]'],
    ['tls', '[tls]\ncertFile = "c"\nkeyFile = "k"'],
    ['agentsListen', 'agentsListen = "127.0.0.1:9001"'],
    ['agentsListen', '[[hosts]]\nid = "runtime:laptop"\ndialsIn = true'],
    ['legTimeoutMs', 'legTimeoutMs = 500'],
    ['the label of local', '[[hosts]]\nid = "local"\nlabel = "desk"'],
    ['sources', '[sources]\ncodex = []'],
    ['index', '[index]\nhistoryDays = 90'],
    ['agent', '[agent]\ngraceMinutes = 0'],
    ['files.roots', '[files.roots]\ncode = "~/src"'],
  ])('names %s for: %s', (name, text) => {
    expect(settingsThatNeedRestart(read(''), read(text))).toEqual([name])
    expect(settingsThatNeedRestart(read(text), read(`# the same\n\n${text}`))).toEqual([])
  })

  it('does not name hosts', () => {
    expect(settingsThatNeedRestart(read(''), read('[[hosts]]\nid = "ssh:devbox"'))).toEqual([])
  })
})
