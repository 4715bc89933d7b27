/**
 * Where the resident agent of a data directory is found: a Unix socket only the account can open. Machines that share a
 * home have one each, and so has everything that an agent may be told: a connection that comes with a configuration or
 * transcript folders of its own is not answered by an agent that reads others. Hence the names hold both.
 */
import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { configFilePath, dataDirPath, type Place } from '../../protocol/places.ts'
import { placeVariables } from '../transcripts/place-variables.ts'

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
export function residentPlace(place: Place, hostName: string): ResidentPlace | null {
  const nameless = socketStem(place, hostName)
  if (nameless === null) return null
  const dataDir = dataDirPath(place)
  const told = shortHash(toldBy(place))
  const file = join(dataDir, `resident-${shortHash(hostName)}-${told}`)
  return {
    dataDir,
    socketPath: `${nameless}-${told}.sock`,
    lockPath: `${file}.lock`,
    logPath: `${file}.log`,
  }
}

/** The sockets of all that may run on this machine for the data directory, whatever each was told. */
export function residentSockets(place: Place, hostName: string): string[] {
  const stem = socketStem(place, hostName)
  if (stem === null) return []
  return namesIn(dirname(stem))
    .filter((name) => name.startsWith(basename(stem)) && name.endsWith('.sock'))
    .map((name) => join(dirname(stem), name))
}

/** Everything that decides what an agent reads, beside the files themselves. */
function toldBy(place: Place): string {
  const variables = placeVariables.map((name) => place.env[name] ?? '')
  return JSON.stringify([place.homeDir, configFilePath(place), ...variables])
}

/** What the sockets' paths begin with. */
function socketStem(place: Place, hostName: string): string | null {
  if (process.platform === 'win32') return null
  const dataDir = dataDirPath(place)
  if (!isPrivateDir(dataDir, true)) return null
  const usual = join(dataDir, `resident-${shortHash(hostName)}`)
  if (fits(usual)) return usual
  const runtimeDir = place.env.XDG_RUNTIME_DIR
  if (!runtimeDir || !isPrivateDir(runtimeDir, false)) return null
  const other = join(runtimeDir, `trawl-${shortHash(`${hostName}\n${dataDir}`)}`)
  return fits(other) ? other : null
}

function fits(stem: string): boolean {
  return Buffer.byteLength(`${stem}-${shortHash('')}.sock`) <= maxSocketPathBytes
}

/** @param orNone what is not there yet is made private by whoever makes it. */
function isPrivateDir(dir: string, orNone: boolean): boolean {
  try {
    const found = statSync(dir, { throwIfNoEntry: false })
    if (found === undefined) return orNone
    return found.isDirectory() && (found.mode & 0o077) === 0 && found.uid === process.getuid?.()
  } catch {
    return false
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
