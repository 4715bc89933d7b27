/** The directory that holds the token, the socket and the index (wire.md §7): where it is, and that it is private. */
import { chmod, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal, systemCode } from './refusal.ts'

/**
 * Makes the directory, mode 0700. An empty one that is there already is closed to others; one with files in it is
 * never changed, for it may not be ours.
 * @throws Refusal `permission` when others can enter it, or it cannot be made.
 */
export async function ensureDataDir(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const { mode } = await stat(dir)
    if ((mode & 0o077) === 0) return
    if ((await readdir(dir)).length === 0) return await chmod(dir, 0o700)
  } catch (error) {
    throw new Refusal('permission', `The data directory ${dir} cannot be used (${systemCode(error)}).`, error)
  }
  throw new Refusal(
    'permission',
    `Others on this machine can enter the data directory ${dir}. Run: chmod 700 ${dir}, or name another in TRAWL_DATA_DIR.`,
  )
}

export const tokenFilePath = (dataDir: string): string => join(dataDir, 'token')
export const socketFilePath = (dataDir: string): string => join(dataDir, 'gateway.sock')
