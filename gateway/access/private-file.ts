/** Files of the gateway that only the user may read: its key, and who is paired. */
import { randomBytes } from 'node:crypto'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { Refusal, systemCode } from '../refusal.ts'

/**
 * @returns the text, or null where there is no such file.
 * @throws Refusal `permission` with the remedy when others can read it.
 */
export async function readPrivateFile(path: string): Promise<string | null> {
  try {
    const { mode } = await stat(path)
    // Windows has no such bits: a profile's folder is its owner's alone there.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new Refusal('permission', `Others on this machine can read ${path}. Run: chmod 600 ${path}`)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  }
}

/** Writes beside it, mode 0600, and renames, so that a reader finds the old text or the new one. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const beside = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    const file = await open(beside, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}
