/** Finds the transcript files of all agents on this machine. One bad folder never hides the rest. */
import { join } from 'node:path'
import pLimit from 'p-limit'
import type { FileStamp } from '../index/file-rows.ts'
import type {
  DatabaseFormat,
  TranscriptFile,
  TranscriptFormat,
  TranscriptReader,
  TranscriptRoot,
} from '../transcripts/reader.ts'
import type { DatabaseCatalogue } from './database-catalogue.ts'
import { sessionPath } from './database-session.ts'
import { errorCode, type FileSystem, type FolderEntry, reasonOf } from './file-system.ts'
import { databaseProblem } from './source-database.ts'

/** A folder to look in, and whose it is. */
export interface Source {
  readonly reader: TranscriptReader
  readonly root: TranscriptRoot
}

export interface FoundFile {
  readonly source: Source
  readonly file: TranscriptFile
  readonly format: TranscriptFormat['kind']
  readonly stamp: FileStamp
}

/** What discovery asks. */
export interface DiscoveryAccess {
  readonly fileSystem: FileSystem
  readonly databases: DatabaseCatalogue
}

/** An agent's database: `problem` says why nothing is known of its sessions. */
export interface FoundDatabase {
  readonly path: string
  readonly problem: string | null
}

/** `absent`: no such folder, as on a machine without that agent. `empty`: it lists, and holds nothing at all. */
export type RootState = 'absent' | 'empty' | 'listed' | 'unlisted'

export interface FoundRoot {
  readonly source: Source
  readonly state: RootState
  /** What could not be looked at, as sentences with paths in them. */
  readonly problems: readonly string[]
  readonly databases: readonly FoundDatabase[]
  /** Files of this agent that its reader cannot read, with the reason. */
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[]
}

export interface Discovery {
  readonly files: readonly FoundFile[]
  readonly roots: readonly FoundRoot[]
}

/** Folders and files asked for at one time. Node does four at once; the rest keeps them busy. */
const concurrency = 16

/** @param signal stops the walk between two folders; the discovery is then what `signal.reason` says. */
export async function discover(
  access: DiscoveryAccess,
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<Discovery> {
  const files: FoundFile[] = []
  const roots: FoundRoot[] = []
  // One after the other: a folder that two roots of an agent lead to belongs to the first.
  const walkedBy = new Map<string, Set<string>>()
  for (const source of sources) {
    const walked = walkedBy.get(source.reader.agent) ?? new Set()
    walkedBy.set(source.reader.agent, walked)
    const walk = new RootWalk(access, source, walked, signal)
    roots.push(await walk.run())
    files.push(...walk.files)
  }
  return { files, roots }
}

class RootWalk {
  readonly files: FoundFile[] = []
  readonly #problems: string[] = []
  readonly #databases: FoundDatabase[] = []
  readonly #unreadable: { path: string; reason: string }[] = []
  readonly #links: string[] = []
  readonly #limit = pLimit(concurrency)
  readonly #fileSystem: FileSystem
  readonly #catalogue: DatabaseCatalogue
  readonly #source: Source
  readonly #walked: Set<string>
  readonly #signal: AbortSignal

  constructor(access: DiscoveryAccess, source: Source, walked: Set<string>, signal: AbortSignal) {
    this.#fileSystem = access.fileSystem
    this.#catalogue = access.databases
    this.#source = source
    this.#walked = walked
    this.#signal = signal
  }

  async run(): Promise<FoundRoot> {
    const { path } = this.#source.root
    let entries: FolderEntry[]
    try {
      if (!(await this.#isNew(path))) return this.#found('listed')
      entries = await this.#fileSystem.list(path)
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return this.#found('absent')
      this.#problems.push(`${path} ${reasonOf(error)}`)
      return this.#found('unlisted')
    }
    await this.#takeEntries('', entries)
    // Links last and in order, so that a file keeps its path whatever the order the disk lists them in.
    for (let next = this.#links.sort().shift(); next !== undefined; next = this.#links.sort().shift())
      await this.#followLink(next)
    return this.#found(entries.length === 0 ? 'empty' : 'listed')
  }

  #found(state: RootState): FoundRoot {
    return {
      source: this.#source,
      state,
      problems: this.#problems,
      databases: this.#databases,
      unreadable: this.#unreadable,
    }
  }

  /** Loops of links and two ways to one folder: each real folder is walked once. */
  async #isNew(folder: string): Promise<boolean> {
    const real = await this.#fileSystem.realPath(folder)
    if (this.#walked.has(real)) return false
    this.#walked.add(real)
    return true
  }

  async #takeEntries(under: string, entries: readonly FolderEntry[]): Promise<void> {
    this.#signal.throwIfAborted()
    await Promise.all(
      entries.map(async (entry) => {
        const relativePath = under === '' ? entry.name : `${under}/${entry.name}`
        if (entry.kind === 'folder') await this.#walkFolder(relativePath)
        else if (entry.kind === 'link') this.#links.push(relativePath)
        else if (entry.kind === 'file') await this.#takeFile(relativePath)
      }),
    )
  }

  async #walkFolder(relativePath: string): Promise<void> {
    if (this.#source.reader.enters?.(relativePath) === false) return
    const path = this.#absolute(relativePath)
    const entries = await this.#asked(path, async () => {
      if (!(await this.#isNew(path))) return []
      return await this.#fileSystem.list(path)
    })
    if (entries !== null) await this.#takeEntries(relativePath, entries)
  }

  async #followLink(relativePath: string): Promise<void> {
    const path = this.#absolute(relativePath)
    const target = await this.#asked(path, async () => await this.#fileSystem.stat(path))
    if (target?.kind === 'folder') await this.#walkFolder(relativePath)
    else if (target?.kind === 'file') await this.#takeFile(relativePath)
  }

  async #takeFile(relativePath: string): Promise<void> {
    const { reader, root } = this.#source
    const path = this.#absolute(relativePath)
    const format = reader.formatOf(relativePath)
    if (format === null) {
      const reason = reader.unreadable?.(relativePath) ?? null
      if (reason !== null) this.#unreadable.push({ path, reason })
      return
    }
    const found = await this.#asked(path, async () => await this.#fileSystem.stat(path))
    // A pipe of that name would block whoever opens it.
    if (found?.kind !== 'file') return
    const file = { root, path, relativePath }
    if (format.kind === 'database') {
      await this.#takeDatabase(file, format)
      return
    }
    const beside = await this.#stampBeside(file)
    this.files.push({ source: this.#source, file, format: format.kind, stamp: { ...found.stamp, beside } })
  }

  async #takeDatabase(file: TranscriptFile, format: DatabaseFormat): Promise<void> {
    try {
      const { device, inode, sessions } = await this.#catalogue.list(file.path, format)
      this.#databases.push({ path: file.path, problem: null })
      for (const { key, size, updatedAtMs } of sessions)
        this.files.push({
          source: this.#source,
          file: { ...file, path: sessionPath(file.path, key), sessionKey: key },
          format: 'database',
          stamp: { device, inode, sizeBytes: size, mtimeMs: updatedAtMs, beside: '' },
        })
    } catch (error) {
      const problem = `${file.path} ${databaseProblem(error)}`
      this.#databases.push({ path: file.path, problem })
      this.#problems.push(problem)
    }
  }

  async #stampBeside(file: TranscriptFile): Promise<string> {
    const companions = this.#source.reader.companions?.(file) ?? []
    const stamps = await Promise.all(
      companions.map(
        async (path) => (await this.#asked(path, async () => await this.#fileSystem.stat(path)))?.stamp,
      ),
    )
    return stamps
      .map((stamp) => (stamp === undefined ? '-' : `${stamp.sizeBytes} ${stamp.mtimeMs}`))
      .join(' ')
  }

  /** @returns null where the disk refused; what is gone by now, or a link that leads nowhere, is no problem. */
  async #asked<T>(path: string, ask: () => Promise<T>): Promise<T | null> {
    return await this.#limit(async () => {
      try {
        return await ask()
      } catch (error) {
        if (!leadsNowhere(error)) this.#problems.push(`${path} ${reasonOf(error)}`)
        return null
      }
    })
  }

  #absolute(relativePath: string): string {
    return join(this.#source.root.path, relativePath)
  }
}

function leadsNowhere(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ELOOP'
}
