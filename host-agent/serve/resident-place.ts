/**
 * Where the resident agent of a data directory is found: a Unix socket only the account can open. Machines that share a
 * home have one each, so its name holds the machine's.
 */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Place } from '../../protocol/places.ts'

/** What the kernels' `sun_path` takes, without its end mark, less the process id that the name is made with. */
const maxSocketPathBytes = (process.platform === 'linux' ? 107 : 103) - 9

export interface ResidentPlace {
  readonly dataDir: string
  readonly socketPath: string
  /** Held by the resident for its life. */
  readonly lockPath: string
  readonly logPath: string
}

/**
 * @returns null where no resident can be: on Windows, which has no sockets in folders; where others can enter the
 *   directory; and where the path is too long and there is no `$XDG_RUNTIME_DIR` to go to.
 */
export function residentPlace(
  dataDir: string,
  { env }: Pick<Place, 'env'>,
  hostName: string,
): ResidentPlace | null {
  if (process.platform === 'win32') return null
  const name = `resident-${shortHash(hostName)}`
  const rest = {
    dataDir,
    lockPath: join(dataDir, `${name}.lock`),
    logPath: join(dataDir, `${name}.log`),
  }
  const usual = join(dataDir, `${name}.sock`)
  if (Buffer.byteLength(usual) <= maxSocketPathBytes)
    return isPrivateDir(dataDir) ? { ...rest, socketPath: usual } : null
  const runtimeDir = env.XDG_RUNTIME_DIR
  if (!runtimeDir || !isPrivateDir(runtimeDir) || !isPrivateDir(dataDir)) return null
  const socketPath = join(runtimeDir, `trawl-${shortHash(`${hostName}\n${dataDir}`)}.sock`)
  return Buffer.byteLength(socketPath) <= maxSocketPathBytes ? { ...rest, socketPath } : null
}

/** One that is not there yet is made private by whoever makes it. */
function isPrivateDir(dir: string): boolean {
  try {
    const found = statSync(dir, { throwIfNoEntry: false })
    if (found === undefined) return true
    return found.isDirectory() && (found.mode & 0o077) === 0 && found.uid === process.getuid?.()
  } catch {
    return false
  }
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
