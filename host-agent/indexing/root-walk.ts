/** Walks one agent's root, all of it or some paths in it, and takes down the transcripts that it meets. */
import { sep } from 'node:path'
import { setImmediate as eventLoopTurn } from 'node:timers/promises'
import type { DatabaseFormat, TranscriptFile } from '../transcripts/reader.ts'
import type { DatabaseCatalogue } from './database-catalogue.ts'
import { sessionPath } from './database-session.ts'
import type {
  Companion,
  DiscoveryAccess,
  FoundDatabase,
  FoundFile,
  FoundRoot,
  RootState,
  Source,
} from './discovery.ts'
import { errorCode, type FileSystem, type FolderEntry, reasonOf } from './file-system.ts'
import { databaseProblem } from './source-database.ts'

/** The disk answers at once, so a long walk has to let others have a turn. */
const entriesPerTurn = 512

export class RootWalk {
  readonly files: FoundFile[] = []
  /** Of the paths that were asked for: those that are not there. */
  readonly missing: string[] = []
  readonly #problems: string[] = []
  readonly #databases: FoundDatabase[] = []
  readonly #unreadable: { path: string; reason: string }[] = []
  readonly #links: string[] = []
  readonly #fileSystem: FileSystem
  readonly #catalogue: DatabaseCatalogue
  readonly #access: DiscoveryAccess
  readonly #source: Source
  readonly #walked: Set<string>
  readonly #signal: AbortSignal
  #entries = 0

  /** @param walked real folders that are not to be walked again; this walk adds its own. */
  constructor(access: DiscoveryAccess, source: Source, walked: Set<string>, signal: AbortSignal) {
    this.#access = access
    this.#fileSystem = access.fileSystem
    this.#catalogue = access.databases
    this.#source = source
    this.#walked = walked
    this.#signal = signal
  }

  async whole(): Promise<FoundRoot> {
    const { path } = this.#source.root
    let entries: FolderEntry[]
    try {
      if (!(await this.#isNew(path))) return this.#found('listed')
      this.#access.watch?.entering(path, path)
      entries = await this.#fileSystem.list(path)
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return this.#found('absent')
      this.#problems.push(`${path} ${reasonOf(error)}`)
      return this.#found('unlisted')
    }
    await this.#takeEntries('', entries)
    await this.#followLinks()
    return this.#found(entries.length === 0 ? 'empty' : 'listed')
  }

  /** @param relativePaths below the root: files, or folders with all that is in them. */
  async some(relativePaths: Iterable<string>): Promise<FoundRoot> {
    for (const relativePath of relativePaths) {
      await this.#turn()
      if (!this.#isEntered(relativePath)) continue
      const path = this.#absolute(relativePath)
      const target = await this.#asked(path, async () => await this.#fileSystem.stat(path))
      if (target === null) this.missing.push(path)
      else if (target.kind === 'folder') await this.#walkFolder(relativePath)
      else if (target.kind === 'file') await this.#takeFile(relativePath)
    }
    await this.#followLinks()
    return this.#found('listed')
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

  /** Whether a whole walk would come to this path. */
  #isEntered(relativePath: string): boolean {
    const { enters } = this.#source.reader
    if (enters === undefined) return true
    for (let at = relativePath.indexOf('/'); at !== -1; at = relativePath.indexOf('/', at + 1))
      if (enters.call(this.#source.reader, relativePath.slice(0, at)) === false) return false
    return true
  }

  async #takeEntries(under: string, entries: readonly FolderEntry[]): Promise<void> {
    for (const entry of entries) {
      await this.#turn()
      const relativePath = under === '' ? entry.name : `${under}/${entry.name}`
      if (entry.kind === 'folder') await this.#walkFolder(relativePath)
      else if (entry.kind === 'link') this.#links.push(relativePath)
      else if (entry.kind === 'file') await this.#takeFile(relativePath)
    }
  }

  async #turn(): Promise<void> {
    this.#signal.throwIfAborted()
    if (++this.#entries % entriesPerTurn === 0) await eventLoopTurn()
  }

  async #walkFolder(relativePath: string): Promise<void> {
    if (this.#source.reader.enters?.(relativePath) === false) return
    const path = this.#absolute(relativePath)
    const entries = await this.#asked(path, async () => {
      if (!(await this.#isNew(path))) return []
      this.#access.watch?.entering(this.#source.root.path, path)
      return await this.#fileSystem.list(path)
    })
    if (entries !== null) await this.#takeEntries(relativePath, entries)
  }

  /** Links last and in order, so that a file keeps its path whatever the order the disk lists them in. */
  async #followLinks(): Promise<void> {
    for (let next = this.#links.sort().shift(); next !== undefined; next = this.#links.sort().shift())
      await this.#followLink(next)
  }

  async #followLink(relativePath: string): Promise<void> {
    const path = this.#absolute(relativePath)
    const target = await this.#asked(path, async () => await this.#fileSystem.stat(path))
    let matters = target === null
    if (target?.kind === 'folder') {
      matters = this.#source.reader.enters?.(relativePath) !== false
      await this.#walkFolder(relativePath)
    } else if (target?.kind === 'file') matters = await this.#takeFile(relativePath)
    // What it leads to lies elsewhere, and may change or be changed for another there.
    if (matters) this.#access.watch?.unseen(this.#source.root.path, `${path} is a link`)
  }

  /** @returns whether it holds transcripts. */
  async #takeFile(relativePath: string): Promise<boolean> {
    const { reader, root } = this.#source
    const path = this.#absolute(relativePath)
    const format = reader.formatOf(relativePath)
    if (format === null) {
      const reason = reader.unreadable?.(relativePath) ?? null
      if (reason !== null) this.#unreadable.push({ path, reason })
      return false
    }
    const found = await this.#asked(path, async () => await this.#fileSystem.stat(path))
    // A pipe of that name would block whoever opens it.
    if (found?.kind !== 'file') return false
    const file = { root, path, relativePath }
    if (format.kind === 'database') {
      await this.#takeDatabase(file, format)
      return true
    }
    const beside = await this.#stampBeside(file)
    this.files.push({ source: this.#source, file, format: format.kind, stamp: { ...found.stamp, beside } })
    return true
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
    const { reader, root } = this.#source
    const paths = reader.companions?.(file) ?? []
    if (paths.length === 0) return ''
    const look = async (path: string) =>
      await this.#asked(path, async () => await this.#fileSystem.stat(path))
    if (this.#access.watch !== undefined) {
      const companions: Companion[] = []
      for (const path of paths) companions.push({ path, isFolder: (await look(path))?.kind === 'folder' })
      this.#access.watch.beside(root.path, file.path, companions)
    }
    const stamps: string[] = []
    for (const path of paths) {
      const found = await look(path)
      stamps.push(found === null ? '-' : `${found.stamp.sizeBytes} ${found.stamp.mtimeMs}`)
    }
    return stamps.join(' ')
  }

  /** @returns null where the disk refused; what is gone by now, or a link that leads nowhere, is no problem. */
  async #asked<T>(path: string, ask: () => Promise<T>): Promise<T | null> {
    try {
      return await ask()
    } catch (error) {
      if (!leadsNowhere(error)) this.#problems.push(`${path} ${reasonOf(error)}`)
      return null
    }
  }

  #absolute(relativePath: string): string {
    // `join` would take each path apart, as often as there are files.
    const { path } = this.#source.root
    return `${path.endsWith(sep) ? path : path + sep}${sep === '/' ? relativePath : relativePath.replaceAll('/', sep)}`
  }
}

function leadsNowhere(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ELOOP'
}
