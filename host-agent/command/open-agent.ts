/** One running agent: an indexer at work, a read connection beside it, and the search service between the two. */
import { statSync } from 'node:fs'
import type { Clock } from '../../protocol/clock.ts'
import type { SqlDatabase, SqlDriver } from '../index/driver/driver.ts'
import { sqlFailure } from '../index/driver/sql-failure.ts'
import { condemnIndex, isCondemned, openIndexForReading } from '../index/open-index.ts'
import type { Indexer } from '../indexing/indexer.ts'
import {
  createNotReadyService,
  createSessionSearchRegistry,
  type SessionSearchRegistry,
  type SessionSearchService,
} from '../search/search-registry.ts'
import { createSessionSearchService } from '../search/search-service.ts'

export interface OpenAgentOptions {
  readonly driver: SqlDriver
  readonly indexPath: string
  readonly indexer: Indexer
  readonly platform: NodeJS.Platform
  readonly clock: Clock
}

export interface OpenAgent extends AsyncDisposable {
  readonly sessionSearch: SessionSearchRegistry
  readonly indexer: Indexer
  /** Settles when the index can be searched, or is known to be out of reach. */
  readonly ready: Promise<void>
}

/** Can be asked at once: what comes before the index is open waits for that, which takes a moment. */
export function openAgent(options: OpenAgentOptions): OpenAgent {
  const { indexer } = options
  const sessionSearch = createSessionSearchRegistry()
  const opened: SqlDatabase[] = []
  /** The file that is searched; null where there is none to search. */
  let searched: string | null = null
  /** Called when there is an index to search again. */
  let begunAnew: () => void = () => undefined

  /** Searches the index as it is now; one that broke or was built anew is opened again for the next search. */
  function serve(): void {
    // Asked for before it is opened: a file replaced in between is then noticed next time.
    const file = fileIdentity(options.indexPath)
    if (searched !== null && searched === file) return
    // Put aside, and not begun anew yet: the indexer's next news say when.
    if (searched === null && isCondemned(options.indexPath)) return
    try {
      const index = openIndexForReading({ driver: options.driver, path: options.indexPath })
      opened.push(index)
      searched = file
      const service = createSessionSearchService({ ...options, index, indexing: indexer })
      sessionSearch.set(dropBrokenIndex(service, () => forget(file)))
      begunAnew()
    } catch {
      // The indexer's status says what is wrong with the file.
      sessionSearch.set(statusOnly(indexer))
    }
  }

  /** Only the indexer can begin a new one: it is told by the mark on the file. */
  function forget(broken: string | null): void {
    if (broken !== searched) return
    condemnIndex(options.indexPath)
    searched = null
    awaitNew()
  }

  /** Searches wait for the pass that begins the index anew, as they wait for the index at the start. */
  function awaitNew(): void {
    const anew = new Promise<void>((resolve) => {
      begunAnew = resolve
    })
    const tried = indexer.reconcile({ full: false }).then(
      () => undefined,
      () => sessionSearch.set(statusOnly(indexer)),
    )
    sessionSearch.set(openingService(Promise.race([anew, tried]), sessionSearch, indexer))
  }

  const ready = indexer.start().then(
    () => {
      serve()
      if (searched === null && isCondemned(options.indexPath)) awaitNew()
    },
    () => sessionSearch.set(statusOnly(indexer)),
  )
  sessionSearch.set(openingService(ready, sessionSearch, indexer))
  const stopListening = indexer.onStatus(serve)

  return {
    sessionSearch,
    indexer,
    ready,
    async [Symbol.asyncDispose]() {
      stopListening()
      sessionSearch.set(null)
      await ready
      await indexer[Symbol.asyncDispose]()
      // A search that waited for a pass may still have been at one that was replaced meanwhile.
      for (const index of opened) index.close()
      if (opened.length > 0) settleFile(options)
    },
  }
}

/** Whoever closes an index last and may only read it leaves its write-ahead log behind; this moves it into the file. */
function settleFile({ driver, indexPath }: OpenAgentOptions): void {
  if (fileIdentity(indexPath) === null) return
  try {
    using db = driver.open(indexPath, { readOnly: false })
    db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get()
  } catch {
    // A disk that cannot be written, or an index that is broken: the next agent reads what lies there.
  }
}

/** Tells a file from another one that was put in its place. */
function fileIdentity(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? null : `${stats.dev}/${stats.ino}`
}

/** Answers once `ready` has put another service in its place. */
function openingService(
  ready: Promise<void>,
  opened: SessionSearchService,
  indexer: Indexer,
): SessionSearchService {
  const notReady = statusOnly(indexer)
  let isOver = false
  const over = ready.then(() => {
    isOver = true
  })
  return {
    ...notReady,
    async search(request, call) {
      // Nothing came in its place.
      if (isOver) return await notReady.search(request, call)
      await over
      return await opened.search(request, call)
    },
    async status() {
      if (isOver) return indexer.status()
      await over
      return await opened.status()
    },
  }
}

/** No index to search, but an indexer that can say why. */
function statusOnly(indexer: Indexer): SessionSearchService {
  return { ...createNotReadyService(), status: () => indexer.status() }
}

/** A file that turns out damaged is let go of, so that what the indexer builds in its place is found. */
function dropBrokenIndex(service: SessionSearchService, forget: () => void): SessionSearchService {
  const isBroken = (error: unknown) => {
    const failure = sqlFailure(error)
    return failure === 'corrupt' || failure === 'not-a-database'
  }
  return {
    status: () => service.status(),
    readSession: (request) => service.readSession(request),
    async search(request, call) {
      try {
        return await service.search(request, call)
      } catch (error) {
        if (!isBroken(error)) throw error
        forget()
        return { kind: 'unavailable', reason: 'not-ready' }
      }
    },
  }
}
