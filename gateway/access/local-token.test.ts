import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadLocalToken, localTokenLookup } from './local-token.ts'

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'trawl-token-'))
})
afterEach(async () => await rm(dir, { recursive: true }))

const ones = (count: number) => Buffer.alloc(count, 1)
const twos = (count: number) => Buffer.alloc(count, 2)

describe('loadLocalToken', () => {
  it('makes a token of 32 random bytes that only the owner can read', async () => {
    const file = join(dir, 'token')
    const token = await loadLocalToken(file, ones)
    expect(Buffer.from(token, 'base64url')).toEqual(Buffer.alloc(32, 1))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await readFile(file, 'utf8')).trim()).toBe(token)
  })

  it('keeps the token of an earlier start', async () => {
    const file = join(dir, 'token')
    const first = await loadLocalToken(file, ones)
    expect(await loadLocalToken(file, twos)).toBe(first)
  })

  it('refuses a token that others can read, and says what to do', async () => {
    const file = join(dir, 'token')
    await loadLocalToken(file, ones)
    await chmod(file, 0o644)
    await expect(loadLocalToken(file, ones)).rejects.toThrow(`chmod 600 ${file}`)
    await expect(loadLocalToken(file, ones)).rejects.toMatchObject({ kind: 'permission' })
  })

  it.each(['', 'short', `${'A'.repeat(43)} and more`])('refuses a file that holds %j', async (text) => {
    const file = join(dir, 'token')
    await writeFile(file, text, { mode: 0o600 })
    await expect(loadLocalToken(file, ones)).rejects.toThrow('holds no token')
  })
})

describe('localTokenLookup', () => {
  it('knows its own token and no other, whatever the length', () => {
    const lookup = localTokenLookup('secret')
    expect(lookup('secret')).toEqual({ exposure: 'runtime', name: 'local-token' })
    for (const other of ['', 'secre', 'secret ', 'Secret', 'secretsecret']) expect(lookup(other)).toBeNull()
  })
})
