import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dataDirPath } from '../protocol/places.ts'
import { ensureDataDir } from './data-dir.ts'

describe('dataDirPath', () => {
  it.each([
    [{}, '/home/mira/.local/share/trawl'],
    [{ XDG_DATA_HOME: '/data' }, '/data/trawl'],
    [{ XDG_DATA_HOME: 'relative' }, '/home/mira/.local/share/trawl'],
    [{ XDG_DATA_HOME: '' }, '/home/mira/.local/share/trawl'],
    [{ XDG_DATA_HOME: '/data', TRAWL_DATA_DIR: '/elsewhere' }, '/elsewhere'],
  ])('finds %j in %s', (env, path) => expect(dataDirPath({ env, homeDir: '/home/mira' })).toBe(path))
})

describe('ensureDataDir', () => {
  let dir = ''
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'trawl-data-'))
  })
  afterEach(async () => await rm(dir, { recursive: true }))
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777

  it('makes a directory that only the owner can enter', async () => {
    await ensureDataDir(join(dir, 'a', 'b'))
    expect(await modeOf(join(dir, 'a', 'b'))).toBe(0o700)
  })

  it('closes an empty directory to others', async () => {
    await chmod(dir, 0o755)
    await ensureDataDir(dir)
    expect(await modeOf(dir)).toBe(0o700)
  })

  it('refuses an open directory with files in it, and leaves it as it is', async () => {
    await chmod(dir, 0o755)
    await writeFile(join(dir, 'notes'), '')
    await expect(ensureDataDir(dir)).rejects.toThrow(`chmod 700 ${dir}`)
    expect(await modeOf(dir)).toBe(0o755)
  })

  it('refuses a path that is a file', async () => {
    await writeFile(join(dir, 'file'), '')
    await expect(ensureDataDir(join(dir, 'file'))).rejects.toMatchObject({ kind: 'permission' })
  })
})
