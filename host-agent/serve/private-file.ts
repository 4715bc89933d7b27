/** Files of the agent that only the account's owner may read: keys, tokens, and who is paired. */
import { randomBytes } from 'node:crypto'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'

/**
 * @returns the text, or null where there is no such file.
 * @throws Error with the remedy when others can read it.
 */
export async function readPrivateFile(path: string): Promise<string | null> {
  try {
    const { mode } = await stat(path)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new Error(`${path} can be read by others. Run: chmod 600 ${path}`)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Writes beside it and renames, so that a reader finds the old text or the new one, and nothing between. */
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
