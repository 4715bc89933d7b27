/** Finds indexed files that are gone. Only a folder that lists and lacks the name proves it; everything else proves nothing. */
import { posix, win32 } from 'node:path'
import type { KnownFile } from '../index/file-rows.ts'
import { databaseInPath } from './database-session.ts'
import type { Discovery } from './discovery.ts'
import { errorCode, type FileSystem, type FolderEntry, reasonOf } from './file-system.ts'

export interface DeletionQuery {
  readonly rows: readonly KnownFile[]
  readonly discovery: Discovery
  /** Agents whose roots a person has set: a row below another root of theirs is not wanted any more. */
  readonly configuredAgents: ReadonlySet<string>
  /** Roots that held indexed transcripts and listed empty in the pass before: their grace is used up. */
  readonly emptyBefore: ReadonlySet<string>
  readonly platform: NodeJS.Platform
}

export interface DeletionFindings {
  /** Paths that are proven gone, or not wanted any more. */
  readonly gone: readonly string[]
  /** Why rows below a root could not be judged; they stay. By root. */
  readonly unverified: ReadonlyMap<string, string>
  /** Roots that hold indexed transcripts and list empty now: hand them in at the next pass. */
  readonly emptyNow: ReadonlySet<string>
}

export async function findDeletions(fileSystem: FileSystem, query: DeletionQuery): Promise<DeletionFindings> {
  const found = new Set(query.discovery.files.map(({ file }) => file.path))
  const roots = new Map(query.discovery.roots.map((root) => [root.source.root.path, root]))
  const listing = new FolderListings(fileSystem)
  const judge = new Judge(listing, query.platform === 'win32' ? win32 : posix)
  const gone: string[] = []
  const unverified = new Map<string, string>()
  const emptyNow = new Set<string>()

  for (const row of query.rows) {
    if (found.has(row.path)) continue
    const root = roots.get(row.root)
    if (root === undefined) {
      if (query.configuredAgents.has(row.agent)) gone.push(row.path)
      else if ((await judge.ask(row.path, null)) === 'gone') gone.push(row.path)
      continue
    }
    if (root.state === 'empty') {
      emptyNow.add(row.root)
      if (!query.emptyBefore.has(row.root)) {
        // What a disk leaves behind when it is unmounted is an empty folder.
        unverified.set(row.root, `${row.root} held transcripts and is empty now`)
        continue
      }
    }
    const databasePath = databaseInPath(root.source.reader, row.root, row.path)
    const database = root.databases.find(({ path }) => path === databasePath)
    if (database !== undefined) {
      // Listed, and this session is not in it any more.
      if (database.problem === null) gone.push(row.path)
      else unverified.set(row.root, database.problem)
      continue
    }
    const verdict = await judge.ask(databasePath ?? row.path, row.root)
    if (verdict === 'gone') gone.push(row.path)
    else if (verdict !== 'there') unverified.set(row.root, verdict.unknown)
  }
  return { gone, unverified, emptyNow }
}

type Verdict = 'gone' | 'there' | { readonly unknown: string }

class Judge {
  readonly #listings: FolderListings
  readonly #paths: typeof posix

  constructor(listings: FolderListings, paths: typeof posix) {
    this.#listings = listings
    this.#paths = paths
  }

  /** Walks up from the file while folders are missing, never above `root`; a row outside of any root has its own folder alone. */
  async ask(path: string, root: string | null): Promise<Verdict> {
    const top = root ?? this.#paths.dirname(path)
    let missing = path
    for (;;) {
      const folder = this.#paths.dirname(missing)
      const listing = await this.#listings.of(folder)
      if (listing instanceof Map) {
        const name = this.#paths.basename(missing)
        // Of a session in a database all that can be said here is whether the database is there.
        const kind =
          listing.get(name) ?? (missing === path ? listing.get(name.replace(/#.*$/, '')) : undefined)
        // A file stands where a folder on the way was.
        if (kind === undefined || (missing !== path && kind === 'file')) return 'gone'
        return 'there'
      }
      if (!listing.isMissing || folder === top || folder === missing)
        return { unknown: `${folder} ${listing.reason}` }
      missing = folder
    }
  }
}

interface Unlisted {
  readonly isMissing: boolean
  readonly reason: string
}

/** Each folder is listed once in a pass, however many rows lie below it. */
class FolderListings {
  readonly #fileSystem: FileSystem
  readonly #known = new Map<string, Map<string, FolderEntry['kind']> | Unlisted>()

  constructor(fileSystem: FileSystem) {
    this.#fileSystem = fileSystem
  }

  async of(folder: string): Promise<Map<string, FolderEntry['kind']> | Unlisted> {
    const known = this.#known.get(folder) ?? (await this.#list(folder))
    this.#known.set(folder, known)
    return known
  }

  async #list(folder: string): Promise<Map<string, FolderEntry['kind']> | Unlisted> {
    try {
      return new Map((await this.#fileSystem.list(folder)).map(({ name, kind }) => [name, kind]))
    } catch (error) {
      const code = errorCode(error)
      return { isMissing: code === 'ENOENT' || code === 'ENOTDIR', reason: reasonOf(error) }
    }
  }
}
