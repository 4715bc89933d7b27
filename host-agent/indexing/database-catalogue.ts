/** Which sessions agents' databases hold, asked anew only when a database or its write-ahead log has changed. */
import type { DatabaseFormat, DatabaseSession } from '../transcripts/reader.ts'
import { errorCode, type FileSystem } from './file-system.ts'
import type { OpenSource } from './source-database.ts'

export interface ListedDatabase {
  readonly device: number
  readonly inode: number
  readonly sessions: readonly DatabaseSession[]
}

export class DatabaseCatalogue {
  readonly #fileSystem: FileSystem
  readonly #open: OpenSource
  readonly #known = new Map<string, ListedDatabase & { readonly version: string }>()

  constructor(fileSystem: FileSystem, open: OpenSource) {
    this.#fileSystem = fileSystem
    this.#open = open
  }

  /** @throws what the disk or SQLite says: nothing is then known of the sessions. */
  async list(path: string, format: DatabaseFormat): Promise<ListedDatabase> {
    // Looked at before it is listed: what is written in between makes the next look differ.
    const { stamp } = await this.#fileSystem.stat(path)
    const version = `${stamp.sizeBytes} ${stamp.mtimeMs} ${stamp.inode} ${await this.#logVersion(path)}`
    const known = this.#known.get(path)
    if (known?.version === version) return known
    using database = this.#open(path)
    const { device, inode } = stamp
    const listed = { device, inode, version, sessions: format.sessions(database) }
    this.#known.set(path, listed)
    return listed
  }

  async #logVersion(path: string): Promise<string> {
    try {
      const { stamp } = await this.#fileSystem.stat(`${path}-wal`)
      return `${stamp.sizeBytes} ${stamp.mtimeMs}`
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return ''
      throw error
    }
  }
}
