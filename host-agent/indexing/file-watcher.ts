/** Being told of changes on the disk: a port, and Node's way of it. */
import { type FSWatcher, statfsSync, watch } from 'node:fs'
import { setImmediate as eventLoopTurn } from 'node:timers/promises'

/** `content`: a file was written to. `entry`: a name came, went, or stands for something else now. */
export type ChangeKind = 'content' | 'entry'

export interface WatchEvents {
  /** @param name of the entry, from the watched folder; null where the system does not say which. */
  told(kind: ChangeKind, name: string | null): void
  /** The watch has ended by itself. */
  lost(error: unknown): void
}

export interface FileWatcher {
  /** `folder`: a watch hears of one folder's own entries. `tree`: of everything below it. */
  readonly reach: 'folder' | 'tree'
  /** @throws Node's error where the folder cannot be watched, `ENOSPC` and `EMFILE` where the system has no watch left. */
  watch(folder: string, events: WatchEvents): Disposable
  /**
   * Whether, of this folder, everything that was written before a call of `settle` has been told when that resolves.
   * Where not, a watch makes things faster and proves nothing.
   */
  isExact(folder: string): boolean
  settle(): Promise<void>
}

/**
 * Linux: one watch a folder – Node's own recursion there would take one for every file. The kernel queues an event
 * within the write itself, so that one whole turn of this thread's event loop has told it; but not on disks that others
 * write to from elsewhere. macOS and Windows: one watch a tree, told some time later.
 * @returns null for a platform that is not known to tell reliably.
 */
export function nodeFileWatcher(platform: NodeJS.Platform): FileWatcher | null {
  if (platform !== 'linux' && platform !== 'darwin' && platform !== 'win32') return null
  const isLinux = platform === 'linux'
  return {
    reach: isLinux ? 'folder' : 'tree',
    watch(folder, { told, lost }) {
      const watcher: FSWatcher = watch(folder, { persistent: false, recursive: !isLinux }, (event, name) =>
        told(event === 'change' ? 'content' : 'entry', name),
      )
      watcher.on('error', lost)
      return { [Symbol.dispose]: () => watcher.close() }
    },
    isExact: (folder) => isLinux && isLocalDisk(folder),
    async settle() {
      // Between two of these lies one look at the kernel's queue.
      await eventLoopTurn()
      await eventLoopTurn()
    },
  }
}

/** ext2 to ext4, XFS, Btrfs, tmpfs, ramfs, overlay, ZFS, F2FS, bcachefs: written by this machine's own kernel alone. */
const localDisks: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x858458f6, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e,
])

function isLocalDisk(folder: string): boolean {
  try {
    return localDisks.has(statfsSync(folder).type)
  } catch {
    return false
  }
}
