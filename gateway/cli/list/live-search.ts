/**
 * The searches behind a list: one at a time, each begun when typing pauses and cancelled, on the hosts too, as soon as
 * another takes its place; rows are there as hosts answer.
 */
import type { Clock } from '../../../protocol/clock.ts'
import { TrawlError } from '../../../protocol/rpc/errors.ts'
import type { Hit } from '../../../protocol/session-search/hit.ts'
import { defaultLimit } from '../../../protocol/session-search/request.ts'
import type { LegReport, SearchResponse, SearchResults } from '../../../protocol/session-search/response.ts'
import { legsOf } from '../../words/say-legs.ts'
import type { LiveClient } from '../live-client.ts'
import type { CliRequest } from '../search-request.ts'
import { arrangeRows, compareHits, keyOf } from './rows.ts'

const debounceMs = 60

export interface ListedLeg extends LegReport {
  readonly hits: number
}

export interface SearchView {
  readonly query: string
  readonly phase: 'nothing-asked' | 'searching' | 'done' | 'failed'
  readonly rows: readonly Hit[]
  /** Rows above the selected one that wait to be shown. */
  readonly waiting: readonly Hit[]
  /** Host id → what became of it; hosts that have not answered are missing. */
  readonly legs: ReadonlyMap<string, ListedLeg>
  /** The whole answer, once it is there. */
  readonly results: SearchResults | null
  readonly hasMore: boolean
  readonly refused: Exclude<SearchResponse, SearchResults> | null
  readonly error: unknown
}

export interface LiveSearchOptions {
  readonly client: LiveClient
  readonly clock: Clock
  readonly request: CliRequest
  /** The row that may not be pushed away, or null. */
  heldKey(): string | null
  onChange(): void
  /** The rows of another query replace those there were. */
  onRestart(): void
}

export interface LiveSearch extends Disposable {
  view(): SearchView
  /** @param pauseMs how long to wait for further typing. */
  ask(query: string, pauseMs?: number): void
  /** Takes the waiting rows in. */
  showWaiting(): void
  /** The next page, where there is one. */
  more(): void
}

const nothing: SearchView = {
  query: '',
  phase: 'nothing-asked',
  rows: [],
  waiting: [],
  legs: new Map(),
  results: null,
  hasMore: false,
  refused: null,
  error: null,
}

export function createLiveSearch(options: LiveSearchOptions): LiveSearch {
  const { client, clock, request } = options
  let view = nothing
  let running = new AbortController()
  let stopWaiting = () => {}
  let cursor: string | null = null
  let isLoadingMore = false
  /** Hosts that were started for this very call are let catch up once. */
  let isFresh = client.isFresh
  /** What is known by now, in order; rows and waiting rows together. */
  let known: readonly Hit[] = []

  function change(part: Partial<SearchView>): void {
    view = { ...view, ...part }
    options.onChange()
  }

  function ask(query: string, pauseMs = debounceMs): void {
    running.abort()
    stopWaiting()
    cursor = null
    isLoadingMore = false
    if (query.trim() === '') {
      options.onRestart()
      change({ ...nothing, query })
      return
    }
    change({ query, phase: 'searching' })
    stopWaiting = clock.after(pauseMs, () => void run(query))
  }

  async function run(query: string): Promise<void> {
    const mine = new AbortController()
    running = mine
    const pool: Hit[] = []
    const limit = request.limit ?? defaultLimit
    let legs: ReadonlyMap<string, ListedLeg> = new Map()
    let isFirst = true
    const show = (hits: readonly Hit[], part: Partial<SearchView>) => {
      if (isFirst) {
        options.onRestart()
        view = { ...nothing, query, phase: 'searching' }
        isFirst = false
      }
      known = hits
      change({ ...arrangeRows(hits, view.rows, options.heldKey()), legs, ...part })
    }
    const freshness = isFresh ? { freshness: 'wait-until-current' as const } : {}
    try {
      const response = await client.search({ ...request, ...freshness, query }, mine.signal, (landed) => {
        if (mine.signal.aborted) return
        const { hits, ...leg } = landed
        legs = new Map(legs).set(leg.executionHostId, { ...leg, hits: hits.length })
        pool.push(...hits)
        show(pool.toSorted(compareHits).slice(0, limit), {})
      })
      if (mine.signal.aborted) return
      isFresh = false
      if (response.kind !== 'results') return show([], { phase: 'failed', refused: response })
      const hits = withHosts(response.hits, request.executionHostId)
      legs = countLegs(response, hits, request.executionHostId)
      cursor = response.page.cursor
      show(hits, { phase: 'done', results: response, hasMore: response.page.hasMore && cursor !== null })
    } catch (error) {
      if (!mine.signal.aborted) show([], { phase: 'failed', error })
    }
  }

  async function more(): Promise<void> {
    if (isLoadingMore || cursor === null || !view.hasMore || view.phase !== 'done') return
    isLoadingMore = true
    const { signal } = running
    try {
      const sent = { ...request, query: view.query, cursor }
      const response = await client.search(sent, signal, () => {})
      if (signal.aborted || response.kind !== 'results') return
      const keys = new Set(known.map(keyOf))
      const added = withHosts(response.hits, request.executionHostId).filter((hit) => !keys.has(keyOf(hit)))
      known = [...known, ...added]
      cursor = response.page.cursor
      change({ rows: [...view.rows, ...added], hasMore: response.page.hasMore && cursor !== null })
    } catch (error) {
      if (TrawlError.from(error).code !== 'cancelled') change({ hasMore: false })
    } finally {
      isLoadingMore = false
    }
  }

  return {
    view: () => view,
    ask,
    showWaiting: () => change({ rows: known, waiting: [] }),
    more: () => void more(),
    [Symbol.dispose]() {
      running.abort()
      stopWaiting()
    },
  }
}

/** One host's own answer may leave its name out. */
function withHosts(hits: readonly Hit[], askedHostId: string): readonly Hit[] {
  return hits.map((hit) =>
    hit.executionHostId === undefined ? { ...hit, executionHostId: askedHostId } : hit,
  )
}

function countLegs(
  results: SearchResults,
  hits: readonly Hit[],
  askedHostId: string,
): ReadonlyMap<string, ListedLeg> {
  return new Map(
    legsOf(results, askedHostId).map((leg) => {
      const count = hits.filter((hit) => hit.executionHostId === leg.executionHostId).length
      return [leg.executionHostId, { ...leg, hits: count }] as const
    }),
  )
}
