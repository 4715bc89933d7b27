/** A watcher that tells what a test has it tell, and nothing else. */
import type { ChangeKind, FileWatcher, WatchEvents } from '../../host-agent/indexing/file-watcher.ts'

export interface FakeWatcher extends FileWatcher {
  /** Folders watched at the moment, in order. */
  readonly folders: readonly string[]
  tell(folder: string, kind: ChangeKind, name: string | null): void
  lose(folder: string, error: unknown): void
  /** How often it was asked to settle. */
  readonly settled: number
}

export interface FakeWatcherOptions {
  readonly reach?: FileWatcher['reach']
  readonly isExact?: (folder: string) => boolean
  /** What `watch` throws, if anything. */
  readonly refuse?: (folder: string) => Error | null
}

export function createFakeWatcher(options: FakeWatcherOptions = {}): FakeWatcher {
  const watches: { folder: string; events: WatchEvents }[] = []
  let settled = 0
  const of = (folder: string) => {
    const found = watches.filter((watch) => watch.folder === folder)
    if (found.length === 0) throw new Error(`${folder} is not watched`)
    return found
  }
  return {
    reach: options.reach ?? 'folder',
    isExact: options.isExact ?? (() => true),
    watch(folder, events) {
      const refusal = options.refuse?.(folder) ?? null
      if (refusal !== null) throw refusal
      const watch = { folder, events }
      watches.push(watch)
      return { [Symbol.dispose]: () => void watches.splice(watches.indexOf(watch), 1) }
    },
    async settle() {
      settled++
    },
    get folders() {
      return watches.map(({ folder }) => folder).sort()
    },
    tell(folder, kind, name) {
      for (const { events } of of(folder)) events.told(kind, name)
    },
    lose(folder, error) {
      for (const { events } of of(folder)) events.lost(error)
    },
    get settled() {
      return settled
    },
  }
}
