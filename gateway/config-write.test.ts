import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { parse } from 'smol-toml'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addHostEntry, removeHostEntry, writeConfigFile } from './config-write.ts'
import { Refusal } from './refusal.ts'

const file = '/etc/trawl/config.toml'
const own = `# My machines.
listen = "127.0.0.1:7717"   # the door

# The box under the desk.
[[hosts]]
id = "ssh:devbox"
ssh.client = "openssh" # for the key in my pocket

[hosts.ssh]
install = "never"

# Builds run here.
[[hosts]]
id = "runtime:ci"
dialsIn = true

# What is read on this machine.
[sources]
claude = []
`.replace('ssh.client = "openssh" # for the key in my pocket\n\n', 'label = "box" # under the desk\n')

describe('addHostEntry', () => {
  it('adds a block at the end and leaves every byte before it', () => {
    const edited = addHostEntry(own, { id: 'ssh:farm', 'ssh.client': 'openssh' }, file)
    expect(edited).toBe(`${own}\n[[hosts]]\nid = "ssh:farm"\nssh.client = "openssh"\n`)
    expect(parse(edited).hosts).toHaveLength(3)
  })

  it('begins a configuration, and ends a line that has no end', () => {
    expect(addHostEntry('', { id: 'ssh:farm' }, file)).toBe('[[hosts]]\nid = "ssh:farm"\n')
    expect(addHostEntry('legTimeoutMs = 50', { id: 'ssh:farm' }, file)).toBe(
      'legTimeoutMs = 50\n\n[[hosts]]\nid = "ssh:farm"\n',
    )
  })

  it('refuses a list written in another way, with what to add by hand', () => {
    const add = () => addHostEntry('hosts = [{ id = "ssh:a" }]\n', { id: 'ssh:farm' }, file)
    expect(add).toThrow(Refusal)
    expect(add).toThrow(`${file} lists its hosts in a way that is not edited here`)
    expect(add).toThrow('[[hosts]]\nid = "ssh:farm"')
  })

  it('writes any label so that it is read back as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (label) => {
        const table = parse(addHostEntry(own, { id: 'ssh:farm', label }, file))
        expect(table.hosts).toContainEqual({ id: 'ssh:farm', label })
      }),
    )
  })
})

describe('removeHostEntry', () => {
  it('cuts the entry with its tables, and keeps comments, order and blanks', () => {
    expect(removeHostEntry(own, 'ssh:devbox', file)).toBe(`# My machines.
listen = "127.0.0.1:7717"   # the door

# The box under the desk.

# Builds run here.
[[hosts]]
id = "runtime:ci"
dialsIn = true

# What is read on this machine.
[sources]
claude = []
`)
  })

  it('cuts the only entry and one at the end', () => {
    expect(removeHostEntry('[[hosts]]\nid = "ssh:a"\n', 'ssh:a', file)).toBe('')
    expect(removeHostEntry('[[hosts]]\nid = "ssh:a"\n\n[[hosts]]\nid = "ssh:b"\n', ' ssh:b ', file)).toBe(
      '[[hosts]]\nid = "ssh:a"\n',
    )
  })

  it('knows no entry by another id', () => {
    expect(removeHostEntry(own, 'ssh:dev', file)).toBeNull()
    expect(removeHostEntry('', 'ssh:devbox', file)).toBeNull()
  })

  it.each([
    ['an inline list', 'hosts = [{ id = "ssh:a" }]\n'],
    ['two of that id', '[[hosts]]\nid = "ssh:a"\n[[hosts]]\nid = "ssh:a"\n'],
    ['a text that looks like an entry', 'note = """\n[[hosts]]\n"""\n[[hosts]]\nid = "ssh:a"\n'],
  ])('refuses %s, naming the file', (_, text) => {
    expect(() => removeHostEntry(text, 'ssh:a', file)).toThrow(new RegExp(`^${file} .* by hand\\.$`))
  })

  it('undoes what was added, whatever stood there', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 5 }), (names) => {
        const text = [...new Set(names)]
          .map((name) => `[[hosts]]\nid = "ssh:${name}-x" # ${name}\n`)
          .join('\n')
        const added = addHostEntry(text, { id: 'ssh:farm' }, file)
        expect(removeHostEntry(added, 'ssh:farm', file)?.trimEnd()).toBe(text.trimEnd())
      }),
    )
  })
})

describe('writeConfigFile', () => {
  let dir = ''
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'trawl-config-'))
  })
  afterEach(() => {
    rmSync(dir, { recursive: true, force: true })
  })

  it('makes a new file that others cannot read, and its directory', () => {
    const path = join(dir, 'trawl/config.toml')
    writeConfigFile(path, 'legTimeoutMs = 50\n')
    expect(readFileSync(path, 'utf8')).toBe('legTimeoutMs = 50\n')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(dir, 'trawl'))).toEqual(['config.toml'])
  })

  it('keeps the mode of a file and the link that leads to it', () => {
    const real = join(dir, 'dotfiles.toml')
    writeFileSync(real, '')
    chmodSync(real, 0o640)
    const path = join(dir, 'config.toml')
    symlinkSync(real, path)
    writeConfigFile(path, '# new\n')
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect(readFileSync(real, 'utf8')).toBe('# new\n')
    expect(statSync(real).mode & 0o777).toBe(0o640)
  })

  it('says that the file cannot be written, and leaves nothing beside it', () => {
    const path = join(dir, 'config.toml')
    mkdirSync(path)
    expect(() => writeConfigFile(path, '')).toThrow(Refusal)
    expect(readdirSync(dir)).toEqual(['config.toml'])
  })
})
