import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { configFilePath } from '../protocol/places.ts'
import { loadConfig, parseConfig } from './config.ts'
import { Refusal } from './refusal.ts'

const source = { file: '/etc/trawl/config.toml', homeDir: '/home/mira', isOpenToOthers: false, isThere: true }
const read = (text: string, overrides: Partial<typeof source> = {}) =>
  parseConfig(text, { ...source, ...overrides })

function refusalOf(text: string): string {
  try {
    read(text)
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'configuration') return error.message
    throw error
  }
  throw new Error('it was accepted')
}

describe('configFilePath', () => {
  it.each([
    [{}, '/home/mira/.config/trawl/config.toml'],
    [{ XDG_CONFIG_HOME: '/xdg' }, '/xdg/trawl/config.toml'],
    [{ XDG_CONFIG_HOME: 'not/absolute' }, '/home/mira/.config/trawl/config.toml'],
    [{ XDG_CONFIG_HOME: '/xdg', TRAWL_CONFIG: '/my.toml' }, '/my.toml'],
    [{ TRAWL_CONFIG: '~/my.toml' }, '/home/mira/my.toml'],
  ])('for %j is %s', (env, path) => expect(configFilePath({ env, homeDir: '/home/mira' })).toBe(path))
})

describe('loadConfig', () => {
  let dir = ''
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'trawl-config-'))
  })
  afterEach(() => rmSync(dir, { recursive: true }))

  it('is local alone with all defaults where there is no file', () => {
    expect(loadConfig({ env: {}, homeDir: dir })).toEqual({
      listen: { host: '127.0.0.1', port: 7717 },
      publicUrls: [],
      tls: null,
      agentsListen: null,
      legTimeoutMs: 10_000,
      localLabel: 'local',
      hosts: [],
      quarantined: [],
      hostOrder: [],
      index: { exclude: [] },
      agent: { graceMinutes: 10 },
      sources: {},
      fileRoots: {},
      warnings: [],
      file: null,
    })
  })

  it('refuses a $TRAWL_CONFIG that is not there', () => {
    const missing = join(dir, 'missing.toml')
    expect(() => loadConfig({ env: { TRAWL_CONFIG: missing }, homeDir: dir })).toThrow(
      `TRAWL_CONFIG names ${missing}`,
    )
  })

  it('refuses a file that is a directory or not UTF-8', () => {
    expect(() => loadConfig({ env: { TRAWL_CONFIG: dir }, homeDir: dir })).toThrow('cannot be read (EISDIR)')
    const file = join(dir, 'c.toml')
    writeFileSync(file, Buffer.from([0x61, 0xff, 0xfe]))
    expect(() => loadConfig({ env: { TRAWL_CONFIG: file }, homeDir: dir })).toThrow('is not UTF-8')
  })

  it('quarantines a host whose token stands in a file that others can read, until it is closed', () => {
    const file = join(dir, 'c.toml')
    writeFileSync(
      file,
      '[[hosts]]\nid = "runtime:ci"\nurl = "wss://ci.example/rpc"\ntoken = "planted-secret"\n',
    )
    chmodSync(file, 0o644)
    const open = loadConfig({ env: { TRAWL_CONFIG: file }, homeDir: dir })
    expect(open.hosts).toEqual([])
    expect(open.quarantined).toEqual([
      {
        id: 'runtime:ci',
        reason: `Its token stands in a file that others on this machine can read. Run: chmod 600 ${file}.`,
        line: 1,
      },
    ])
    expect(JSON.stringify(open)).not.toContain('planted-secret')
    chmodSync(file, 0o600)
    expect(loadConfig({ env: { TRAWL_CONFIG: file }, homeDir: dir }).hosts).toMatchObject([
      { kind: 'runtime-dialled', token: 'planted-secret' },
    ])
  })

  it('reads a token file beside the configuration, and quarantines one that is missing, open or empty', () => {
    const file = join(dir, 'c.toml')
    writeFileSync(
      file,
      '[[hosts]]\nid = "runtime:ci"\nurl = "wss://ci.example/rpc"\ntokenFile = "ci.token"\n',
    )
    const load = () => loadConfig({ env: { TRAWL_CONFIG: file }, homeDir: dir })
    expect(load().quarantined[0]?.reason).toBe(`There is no file ${join(dir, 'ci.token')}.`)
    writeFileSync(join(dir, 'ci.token'), 'abc\n', { mode: 0o644 })
    expect(load().quarantined[0]?.reason).toContain(`chmod 600 ${join(dir, 'ci.token')}`)
    chmodSync(join(dir, 'ci.token'), 0o600)
    expect(load().hosts).toMatchObject([{ token: 'abc' }])
    writeFileSync(join(dir, 'ci.token'), '\n')
    expect(load().quarantined[0]?.reason).toContain('must hold one token')
  })

  it('finds the file under the user’s home', () => {
    mkdirSync(join(dir, '.config', 'trawl'), { recursive: true })
    writeFileSync(join(dir, '.config', 'trawl', 'config.toml'), 'legTimeoutMs = 500')
    expect(loadConfig({ env: {}, homeDir: dir })).toMatchObject({
      legTimeoutMs: 500,
      file: join(dir, '.config', 'trawl', 'config.toml'),
    })
  })
})

describe('parseConfig', () => {
  it('reads everything the file may say', () => {
    const config = read(`
listen = "[::1]:9000"
publicUrls = ["https://Trawl.example/", "http://desk:7717"]
tls.certFile = "~/cert.pem"
tls.keyFile = "/etc/trawl/key.pem"
agentsListen = "0.0.0.0:7719"
legTimeoutMs = 2500

[[hosts]]
id = "ssh:mira%40devbox%3A2222"
label = "dev box"
ssh.client = "ssh2"
ssh.configFile = "~/.ssh/other"
ssh.agentCommand = "nice trawl-agent stdio"
ssh.install = "never"
ssh.keepAliveSec = 0

[[hosts]]
id = "runtime:ci"
url = "wss://ci.example:7718/rpc"
pin = "sha256/f/w3Q9QaLpbowfpHhdp9fgfzFptwJt/7nR7Isc5l4xM="
token = "t"

[[hosts]]
id = "runtime:laptop"
dialsIn = true

[[hosts]]
id = "local"
label = "workbench"

[sources]
claude = ["~/.claude/projects", "/srv/claude"]
codex = []

[files.roots]
code = "~/src"
`)
    expect(config).toEqual({
      listen: { host: '::1', port: 9000 },
      publicUrls: ['https://trawl.example', 'http://desk:7717'],
      tls: { certFile: '/home/mira/cert.pem', keyFile: '/etc/trawl/key.pem' },
      agentsListen: { host: '0.0.0.0', port: 7719 },
      legTimeoutMs: 2500,
      localLabel: 'workbench',
      hosts: [
        {
          kind: 'ssh',
          id: 'ssh:mira%40devbox%3A2222',
          target: 'mira@devbox:2222',
          label: 'dev box',
          configFile: '/home/mira/.ssh/other',
          client: 'ssh2',
          agentCommand: 'nice trawl-agent stdio',
          install: 'never',
          keepAliveSec: 0,
        },
        {
          kind: 'runtime-dialled',
          id: 'runtime:ci',
          environmentId: 'ci',
          label: 'ci',
          url: 'wss://ci.example:7718/rpc',
          pin: 'sha256/f/w3Q9QaLpbowfpHhdp9fgfzFptwJt/7nR7Isc5l4xM=',
          token: 't',
          tokenFile: null,
        },
        { kind: 'runtime-dials-in', id: 'runtime:laptop', environmentId: 'laptop', label: 'laptop' },
      ],
      quarantined: [],
      hostOrder: ['ssh:mira%40devbox%3A2222', 'runtime:ci', 'runtime:laptop'],
      index: { exclude: [] },
      agent: { graceMinutes: 10 },
      sources: { claude: ['/home/mira/.claude/projects', '/srv/claude'], codex: [] },
      fileRoots: { code: '/home/mira/src' },
      warnings: [],
      file: source.file,
    })
  })

  it('opens a door for agents on loopback where a host dials in and nothing else is said', () => {
    expect(read('[[hosts]]\nid = "runtime:a"\ndialsIn = true').agentsListen).toEqual({
      host: '127.0.0.1',
      port: 7719,
    })
  })

  it('leaves to ssh_config what an SSH host does not say', () => {
    expect(read('[[hosts]]\nid = "ssh:devbox"').hosts).toEqual([
      {
        kind: 'ssh',
        id: 'ssh:devbox',
        target: 'devbox',
        label: 'devbox',
        configFile: null,
        client: 'ssh2',
        agentCommand: null,
        install: 'auto',
        keepAliveSec: null,
      },
    ])
  })

  it('refuses what is not TOML, naming file, line and column', () => {
    const sentence = refusalOf('legTimeoutMs = 10\nlisten = "127.0.0.1:7717\n')
    expect(sentence).toMatch(/^\/etc\/trawl\/config\.toml, line 2, column \d+: /)
    expect(sentence).toContain('listen = "127.0.0.1:7717')
  })

  it.each([
    ['legTimeoutMs = "fast"', 'legTimeoutMs must be a whole number of milliseconds from 50 to 600000.'],
    ['legTimeoutMs = 49', 'legTimeoutMs must be a whole number of milliseconds from 50 to 600000.'],
    ['legTimeoutMs = 600001', 'legTimeoutMs must be a whole number of milliseconds from 50 to 600000.'],
    ['legTimeoutMs = 99.5', 'legTimeoutMs must be a whole number of milliseconds from 50 to 600000.'],
    ['listen = 7717', 'listen must be an address and a port, as in "127.0.0.1:7717".'],
    ['listen = "localhost"', 'listen must be an address and a port, as in "127.0.0.1:7717".'],
    ['listen = "127.0.0.1:99999"', 'listen must be an address and a port, as in "127.0.0.1:7717".'],
    ['publicUrls = ["trawl.example"]', 'publicUrls.0 must be a list of addresses'],
    ['publicUrls = ["https://trawl.example/page"]', 'publicUrls.0 must be a list of addresses'],
    ['tls.certFile = "cert.pem"', 'tls.keyFile must be a file.'],
    ['hosts = "devbox"', 'hosts must be a list of tables, each written under [[hosts]].'],
    ['[index]\nhistoryDays = 0', 'index.historyDays must be a whole number of days from 1 to 3650'],
    ['[index]\nhistoryDays = "90"', 'index.historyDays must be a whole number of days from 1 to 3650'],
    ['sources = 3', 'sources must be a table of agent = [directories].'],
    ['sources.claude = "~/x"', 'sources.claude must be a list of directories'],
    ['sources.claude = [3]', 'sources.claude.0 must be a list of directories'],
    ['sources."Not A Name" = []', 'sources.Not A Name: the name must be an agent name of lower-case letters'],
    ['files.roots.code = []', 'files.roots.code must be a directory.'],
    ['files = 1', 'files must be a table.'],
  ])('refuses %s, naming the key and what is allowed', (text, sentence) => {
    expect(refusalOf(text)).toContain(sentence)
  })

  it('warns of unknown keys, with the nearest known one, and goes on', () => {
    const config = read(
      'legTimeoutMS = 5\nfrobnicate = 1\n[files]\nroot = 1\n[[hosts]]\nid = "ssh:a"\nlable = "x"\nssh.keepAliveSecs = 3\nurl = "x"',
    )
    expect(config.hosts).toHaveLength(1)
    expect(config.legTimeoutMs).toBe(10_000)
    expect(config.warnings).toEqual([
      '/etc/trawl/config.toml: the top level has an unknown key "legTimeoutMS", which is ignored. Did you mean legTimeoutMs?',
      '/etc/trawl/config.toml: the top level has an unknown key "frobnicate", which is ignored.',
      '/etc/trawl/config.toml: [files] has an unknown key "root", which is ignored. Did you mean roots?',
      '/etc/trawl/config.toml: the host ssh:a has an unknown key "lable", which is ignored. Did you mean label?',
      '/etc/trawl/config.toml: the host ssh:a has an unknown key "url", which is ignored.',
      '/etc/trawl/config.toml: ssh of the host ssh:a has an unknown key "keepAliveSecs", which is ignored. Did you mean keepAliveSec?',
    ])
  })

  it('warns where a token travels unencrypted', () => {
    const dialled = (url: string) => read(`[[hosts]]\nid = "runtime:a"\ntoken = "t"\nurl = "${url}"`)
    expect(dialled('ws://ci.example/rpc').warnings[0]).toContain('unencrypted')
    expect(dialled('ws://127.0.0.1:7718/rpc').warnings).toEqual([])
    expect(dialled('wss://ci.example/rpc').warnings).toEqual([])
  })

  it.each([
    ['id = "devbox"', 'devbox', 'id must be "ssh:<target>" or "runtime:<name>", percent-encoded.'],
    ['id = "all"', 'all', 'The word all is a search scope and cannot be a host.'],
    ['id = "ssh:"', 'ssh:', 'id must be "ssh:<target>" or "runtime:<name>", percent-encoded.'],
    ['id = "ssh:a|b"', 'ssh:a|b', 'id must be "ssh:<target>" or "runtime:<name>", percent-encoded.'],
    ['id = 7', 'hosts[1]', 'id must be "ssh:<target>" or "runtime:<name>", percent-encoded.'],
    ['label = "x"', 'hosts[1]', 'It has no id; write id = "ssh:…" or id = "runtime:…".'],
    [
      'id = "ssh:-oProxyCommand=x"',
      'ssh:-oProxyCommand=x',
      'The target may not start with a hyphen or hold spaces or control characters.',
    ],
    ['id = "ssh:a"\nssh.client = "putty"', 'ssh:a', 'ssh.client must be "ssh2" or "openssh".'],
    ['id = "ssh:a"\nssh.install = "always"', 'ssh:a', 'ssh.install must be "auto" or "never".'],
    ['id = "ssh:a"\nssh = 1', 'ssh:a', 'ssh must be a table, as in ssh.configFile = "~/.ssh/config".'],
    [
      'id = "ssh:a"\nssh.keepAliveSec = -1',
      'ssh:a',
      'ssh.keepAliveSec must be a whole number of seconds from 0 (off) to 3600.',
    ],
    ['id = "ssh:a"\nlabel = ""', 'ssh:a', 'label must be a text that is not empty.'],
    ['id = "runtime:a"', 'runtime:a', 'It needs url = "wss://…", or dialsIn = true.'],
    [
      'id = "runtime:a"\nurl = "wss://x/rpc"',
      'runtime:a',
      'It needs tokenFile = "…" with the token of that machine\'s agent.',
    ],
    [
      'id = "runtime:a"\nurl = "https://x/rpc"\ntoken = "t"',
      'runtime:a',
      'url must start with ws:// or wss://.',
    ],
    [
      'id = "runtime:a"\nurl = "wss://me:pw@x/rpc"\ntoken = "t"',
      'runtime:a',
      'url may hold no credentials; put the token into tokenFile.',
    ],
    [
      'id = "runtime:a"\nurl = "wss://x/rpc?token=t"\ntoken = "t"',
      'runtime:a',
      'url may hold no credentials; put the token into tokenFile.',
    ],
    [
      'id = "runtime:a"\nurl = "wss://x/rpc"\ndialsIn = true',
      'runtime:a',
      'It has both url and dialsIn = true; keep one.',
    ],
    [
      'id = "runtime:a"\nurl = "wss://x/rpc"\ntoken = "t"\ntokenFile = "f"',
      'runtime:a',
      'It has both token and tokenFile; keep one.',
    ],
    [
      'id = "runtime:a"\nurl = "ws://x/rpc"\ntoken = "t"\npin = "sha256/f/w3Q9QaLpbowfpHhdp9fgfzFptwJt/7nR7Isc5l4xM="',
      'runtime:a',
      'It has a pin, which needs url = "wss://…".',
    ],
    [
      'id = "runtime:a"\nurl = "wss://x/rpc"\ntoken = "t"\npin = "sha1/x"',
      'runtime:a',
      'pin must be "sha256/" and the base64 of the host key, as trawl-agent listen prints it.',
    ],
    ['id = "runtime:a"\ndialsIn = "yes"', 'runtime:a', 'dialsIn must be true or false.'],
  ])('quarantines the host of %j alone', (entry, id, reason) => {
    const config = read(`[[hosts]]\n${entry}\n\n[[hosts]]\nid = "ssh:good"\n`)
    expect(config.quarantined).toEqual([{ id, reason, line: 1 }])
    expect(config.hosts.map((host) => host.id)).toEqual(['ssh:good'])
  })

  it('quarantines a duplicate under a name of its own, and keeps the first', () => {
    const config = read('[[hosts]]\nid="ssh:a"\n[[hosts]]\nid="ssh:a"\n[[hosts]]\nid="ssh:a"\n')
    expect(config.hosts).toHaveLength(1)
    expect(config.quarantined).toEqual([
      { id: 'ssh:a (hosts[2])', reason: 'An earlier entry has this id already.', line: 3 },
      { id: 'ssh:a (hosts[3])', reason: 'An earlier entry has this id already.', line: 5 },
    ])
  })

  it('quarantines entries that are no tables', () => {
    expect(read('hosts = [3, "ssh:a", {id = "ssh:b"}]')).toMatchObject({
      hosts: [{ id: 'ssh:b' }],
      quarantined: [
        { id: 'hosts[1]', reason: 'It is not a table.', line: null },
        { id: 'hosts[2]', reason: 'It is not a table.', line: null },
      ],
    })
  })

  it('leaves local as it is when its entry is wrong, and says so', () => {
    const config = read('[[hosts]]\nid = "local"\nlabel = 3')
    expect(config).toMatchObject({ localLabel: 'local', quarantined: [], hosts: [] })
    expect(config.warnings[0]).toContain('The host local: label must be a text')
  })
})
