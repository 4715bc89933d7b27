/**
 * What has to be looked at: the paths that a watcher named, and every root of which it may not have told everything.
 * A watch makes things fast; what is true is decided by looking.
 */
import { dirname, join, sep } from 'node:path'
import type { Discovery, FoundFile, FoundRoot, Source, WalkListener } from './discovery.ts'
import { errorCode, type FileSystem, reasonOf } from './file-system.ts'
import type { ChangeKind, FileWatcher } from './file-watcher.ts'

/** What one pass is to look at. */
export interface Look {
  /** Whole roots. */
  readonly walk: readonly Source[]
  /** Roots of which the watcher has told everything. */
  readonly covered: readonly Source[]
  /** Absolute paths below them that have changed. */
  readonly named: readonly string[]
  /** A folder was among them: what it held before may be gone. */
  readonly hasMoved: boolean
}

/** How changes are noticed. `polling`: by looking at everything now and then, for the reason given. */
export interface Watching {
  readonly mode: 'events' | 'polling'
  readonly reason?: string
}

export interface DiskWatchOptions {
  /** Null: nothing tells of changes here. */
  readonly watcher: FileWatcher | null
  readonly fileSystem: FileSystem
  readonly sources: readonly Source[]
  /** Called when something was named; not again before `next`. */
  readonly onNamed: () => void
  /** Folders watched at most: the system has few watches for all its programs together. */
  readonly maxWatches?: number
}

const defaultMaxWatches = 4096
/** More than this between two passes, and walking everything is no more work. */
const maxNamed = 4096
/** More than this at once, and the system's own queue (Linux: 16,384 events) may have overflowed unsaid. */
const maxBurst = 8192

interface FolderWatch {
  readonly handle: Disposable
  readonly sweep: number
}

export class DiskWatch implements Disposable {
  readonly #options: DiskWatchOptions
  readonly #watches = new Map<string, FolderWatch>()
  readonly #named = new Set<string>()
  /** Root → its device and inode when it was walked whole, with a watch on all of it. */
  readonly #covered = new Map<string, string>()
  /** Root → what it was when the walk of it began. */
  readonly #looked = new Map<string, string | null>()
  /** Root → why its changes may go untold. */
  readonly #untold = new Map<string, string>()
  /** Companion → the transcripts whose stamp it is part of. */
  readonly #owners = new Map<string, Set<string>>()
  /** Events told since the event loop had its last turn. */
  #burst = 0
  #sweep = 0
  #hasTold = false
  /** There were folders that got no watch because others had them all. */
  #isCrowded = false
  /** Why there are no more watches to be had. */
  #exhausted: string | null = null

  constructor(options: DiskWatchOptions) {
    this.#options = options
  }

  /** @param full everything, and every watch anew. */
  async next(full: boolean): Promise<Look> {
    const { sources, watcher } = this.#options
    await watcher?.settle()
    this.#hasTold = false
    if (full || this.#named.size > maxNamed) this.suspect()
    if (full) this.#exhausted = null
    // A name stands for something else now: what is watched under it may be elsewhere, or nowhere.
    let hasMoved = false
    for (const path of this.#named) {
      if (!this.#watches.has(path)) continue
      this.#forget(path)
      hasMoved = true
    }
    const walk: Source[] = []
    const covered: Source[] = []
    for (const source of sources) {
      const { path } = source.root
      const identity = await this.#identity(path)
      const before = this.#looked.get(path)
      if (before !== undefined && before !== identity) this.#forget(path)
      this.#looked.set(path, identity)
      if (identity !== null && this.#covered.get(path) === identity) covered.push(source)
      else walk.push(source)
    }
    for (const { root } of walk) this.#untold.delete(root.path)
    const named = Array.from(this.#named)
    this.#named.clear()
    return { walk, covered, named, hasMoved }
  }

  /** To be handed to the walk of what `next` gave. */
  readonly listener: WalkListener = {
    entering: (root, folder) => this.#enter(root, folder),
    unseen: (root, why) => this.#cannotTell(root, why),
    beside: (root, file, companions) => {
      for (const { path, isFolder } of companions) {
        const owners = this.#owners.get(path) ?? new Set()
        this.#owners.set(path, owners.add(file))
        this.#enter(root, isFolder ? path : dirname(path))
      }
    },
  }

  /** @param found by the walk of whole roots; of all of them where it is a sweep. */
  walked({ roots, files }: Discovery, isSweep: boolean): void {
    if (isSweep && this.#isCrowded) this.#preferRecent(roots, files)
    if (this.#options.watcher === null) return
    for (const { source, state, problems } of roots) {
      const { path } = source.root
      const identity = this.#looked.get(path) ?? null
      const isUncertain = state === 'unlisted' || problems.length > 0 || this.#untold.has(path)
      if (identity !== null && !isUncertain) this.#covered.set(path, identity)
    }
  }

  /** After a sweep that went through: lets go of folders that it did not come to. */
  swept(): void {
    for (const [folder, { handle, sweep }] of this.#watches) {
      if (sweep === this.#sweep) continue
      handle[Symbol.dispose]()
      this.#watches.delete(folder)
    }
  }

  /** A root that could not be looked at in full is looked at again. */
  again(root: string): void {
    this.#covered.delete(root)
  }

  /** What was named may be lost: everything has to be looked at, and watched anew. */
  suspect(): void {
    this.#sweep++
    this.#covered.clear()
    this.#named.clear()
  }

  status(): Watching {
    if (this.#options.watcher === null) return { mode: 'polling', reason: 'nothing tells of changes here' }
    const [reason] = this.#untold.values()
    return reason === undefined ? { mode: 'events' } : { mode: 'polling', reason }
  }

  [Symbol.dispose](): void {
    for (const { handle } of this.#watches.values()) handle[Symbol.dispose]()
    this.#watches.clear()
  }

  /** What was at the path is gone, or moved: so are the watches in it. */
  #forget(path: string): void {
    const isIn = (each: string) => each === path || each.startsWith(path + sep)
    for (const [folder, { handle }] of this.#watches) {
      if (!isIn(folder)) continue
      handle[Symbol.dispose]()
      this.#watches.delete(folder)
    }
    // Roots in it have lost their watches with it, whoever walks it now.
    for (const root of this.#covered.keys()) if (isIn(root)) this.#covered.delete(root)
  }

  /** There are more folders than watches: the roots have one, and the folders with the newest files. */
  #preferRecent(roots: readonly FoundRoot[], files: readonly FoundFile[]): void {
    this.#isCrowded = false
    const { maxWatches = defaultMaxWatches } = this.#options
    const newest = new Map<string, { root: string; mtimeMs: number }>()
    for (const { file, stamp } of files) {
      const folder = dirname(file.path)
      const known = newest.get(folder)
      if (known === undefined || known.mtimeMs < stamp.mtimeMs)
        newest.set(folder, { root: file.root.path, mtimeMs: stamp.mtimeMs })
    }
    for (const { source, state } of roots)
      if (state === 'listed' || state === 'empty')
        newest.set(source.root.path, { root: source.root.path, mtimeMs: Number.POSITIVE_INFINITY })
    const wanted = Array.from(newest, ([folder, { root, mtimeMs }]) => ({ folder, root, mtimeMs }))
      .sort((a, b) => b.mtimeMs - a.mtimeMs)
      .slice(0, maxWatches)
    const keep = new Set(wanted.map(({ folder }) => folder))
    for (const [folder, { handle }] of this.#watches) {
      if (keep.has(folder)) continue
      handle[Symbol.dispose]()
      this.#watches.delete(folder)
    }
    for (const { root, folder } of wanted) this.#enter(root, folder)
  }

  #enter(root: string, folder: string): void {
    const { watcher, maxWatches = defaultMaxWatches } = this.#options
    if (watcher === null) return
    if (!watcher.isExact(folder))
      this.#cannotTell(root, `${folder} is on a disk that does not tell of every change`)
    // One watch at the top hears of all below; a companion may lie beside that.
    if (watcher.reach === 'tree' && folder !== root && folder.startsWith(root + sep)) return
    const known = this.#watches.get(folder)
    if (known?.sweep === this.#sweep) return
    if (this.#exhausted !== null || (known === undefined && this.#watches.size >= maxWatches)) {
      this.#isCrowded = this.#exhausted === null
      this.#cannotTell(root, this.#exhausted ?? `more than ${maxWatches} folders would have to be watched`)
      return
    }
    try {
      const handle = watcher.watch(folder, {
        told: (kind, name) => this.#told(folder, kind, name),
        lost: (error) => this.#lost(root, folder, error),
      })
      // The new one first: a change in between would go untold.
      known?.handle[Symbol.dispose]()
      this.#watches.set(folder, { handle, sweep: this.#sweep })
    } catch (error) {
      const code = errorCode(error)
      if (code === 'ENOSPC' || code === 'EMFILE')
        this.#exhausted = `the system has no more watches to give (${code})`
      this.#cannotTell(root, this.#exhausted ?? `${folder} cannot be watched: it ${reasonOf(error)}`)
    }
  }

  #cannotTell(root: string, why: string): void {
    this.#untold.set(root, why)
    this.#covered.delete(root)
  }

  #lost(root: string, folder: string, error: unknown): void {
    this.#watches.get(folder)?.handle[Symbol.dispose]()
    this.#watches.delete(folder)
    // Other roots may have gone by the same watch.
    this.suspect()
    this.#cannotTell(root, `${folder} is not watched any more: it ${reasonOf(error)}`)
    this.#tell()
  }

  #told(folder: string, kind: ChangeKind, name: string | null): void {
    if (this.#burst++ === 0)
      setImmediate(() => {
        this.#burst = 0
      })
    if (name === null || this.#burst > maxBurst) {
      this.suspect()
      this.#tell()
      return
    }
    const path = withoutLog(join(folder, name))
    const owners = [...(this.#owners.get(path) ?? []), ...(this.#owners.get(folder) ?? [])]
    for (const owner of owners) this.#named.add(owner)
    const matters = this.#matters(path, kind)
    if (matters) this.#named.add(path)
    if (matters || owners.length > 0) this.#tell()
  }

  #tell(): void {
    if (this.#hasTold) return
    this.#hasTold = true
    this.#options.onNamed()
  }

  /** A transcript, or what may be a folder with some in it. */
  #matters(path: string, kind: ChangeKind): boolean {
    return this.#options.sources.some(({ reader, root }) => {
      if (!path.startsWith(root.path + sep)) return false
      const relativePath = path.slice(root.path.length + 1).replaceAll(sep, '/')
      if (reader.formatOf(relativePath) !== null) return true
      return kind === 'entry' && reader.enters?.(relativePath) !== false
    })
  }

  /** Tells a folder from another one that was put in its place; null where it cannot be looked at. */
  async #identity(root: string): Promise<string | null> {
    try {
      const { stamp } = await this.#options.fileSystem.stat(root)
      return `${stamp.device} ${stamp.inode}`
    } catch (error) {
      return errorCode(error) === 'ENOENT' ? absent : null
    }
  }
}

const absent = 'absent'

/** What is written to a database's log is written to the database. */
function withoutLog(path: string): string {
  return path.endsWith('-wal') ? path.slice(0, -'-wal'.length) : path
}
