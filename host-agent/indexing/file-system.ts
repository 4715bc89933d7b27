/** The disk as indexing sees it: a port, so that tests can have a folder that may not be read or a disk that fails. */
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import type { FileStamp } from '../index/file-rows.ts'

export interface FolderEntry {
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

export interface PathStat {
  readonly kind: 'file' | 'folder' | 'other'
  readonly stamp: FileStamp
}

/** An open transcript. Reading is synchronous: it happens on a thread that has nothing else to do. */
export interface OpenFile {
  stamp(): FileStamp
  /** @returns how many bytes came; 0 at the end. */
  read(into: Buffer, position: number): number
  close(): void
}

/** Every method fails with Node's own errors, whose `code` is what the callers judge by. */
export interface FileSystem {
  list(folder: string): Promise<FolderEntry[]>
  /** As `list`, at once and the names alone: for a thread that has nothing else to do. */
  namesIn(folder: string): string[]
  /** Follows links. */
  stat(path: string): Promise<PathStat>
  realPath(path: string): Promise<string>
  open(path: string): OpenFile
}

/**
 * Answers at once, for the thread that indexes has nothing else to do: a look at 5,000 files takes 20 to 40 ms so, and
 * 60 to 100 through Node's own threads.
 */
export const nodeFileSystem: FileSystem = {
  async list(folder) {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.map((entry) => ({
      name: entry.name,
      kind: entry.isFile()
        ? 'file'
        : entry.isDirectory()
          ? 'folder'
          : entry.isSymbolicLink()
            ? 'link'
            : 'other',
    }))
  },
  namesIn: (folder) => readdirSync(folder),
  async stat(path) {
    const stats = statSync(path)
    return {
      kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
      stamp: stampOf(stats),
    }
  },
  realPath: async (path) => realpathSync.native(path),
  open(path) {
    const descriptor = openSync(path, 'r')
    return {
      stamp: () => stampOf(fstatSync(descriptor)),
      read: (into, position) => readSync(descriptor, into, 0, into.length, position),
      close: () => closeSync(descriptor),
    }
  },
}

function stampOf(stats: Stats): FileStamp {
  return { device: stats.dev, inode: stats.ino, sizeBytes: stats.size, mtimeMs: stats.mtimeMs, beside: '' }
}

/** Node's error code (`ENOENT`, …), or null for what is no such error. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

/** What to tell people about a path that could not be looked at. */
export function reasonOf(error: unknown): string {
  const code = errorCode(error)
  const known = code === null ? undefined : sentences[code]
  if (known !== undefined) return known
  return code ?? (error instanceof Error ? error.message : String(error))
}

const sentences: Readonly<Record<string, string>> = {
  EACCES: 'may not be read',
  EPERM: 'may not be read',
  ENOENT: 'is not there',
  ENOTDIR: 'is not a folder',
  ELOOP: 'is a loop of links',
  EIO: 'could not be read: the disk reports an error',
  ETIMEDOUT: 'did not answer in time',
  ESTALE: 'is on a network disk that is gone',
}
