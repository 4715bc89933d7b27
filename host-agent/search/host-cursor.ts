/**
 * One host's page cursor: base64url JSON, small (hundreds of them share a merged cursor), and worth nothing to any
 * query, index or state of the index but its own. The server keeps nothing [cursor.refused-stays-refused].
 */
import { createHash } from 'node:crypto'
import type { SearchRequest } from '../../protocol/session-search/request.ts'
import type { IndexFence } from '../index/read.ts'
import { tokenize } from '../index/tokens.ts'
import type { RungName } from './plan.ts'

/** Where a page goes on. */
export type CursorPlace =
  /** The ranked list from this hit on; good for one generation. */
  | { readonly order: 'relevance'; readonly offset: number }
  /** After this session, or from the head where it is null; outlives appends, for a walk by key skips and repeats nothing. */
  | {
      readonly order: 'newest'
      readonly after: { readonly sessionRowId: number; readonly updatedAtMs: number | null } | null
      /** The rung page 1 was found on: later pages stay on it whatever was written since. Null for operators alone. */
      readonly rung: RungName | null
      readonly repairs: ReadonlyMap<string, string>
      /** The latest time of any session when the walk began; null where none had one. */
      readonly headMs: number | null
    }

export type CursorVerdict =
  | { readonly kind: 'good'; readonly place: CursorPlace }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'stale'; readonly expectedGeneration?: number }

const maxCursorUnits = 4096
const rungNames: readonly (RungName | null)[] = ['phrase', 'and', 'session', 'or', null]

/** What a cursor is bound to: all that decides the list, and not the page size. The order of lists does not matter. */
export function queryKey(request: SearchRequest): string {
  const { filters = {} } = request
  const since = filters.since === undefined ? null : Date.parse(filters.since)
  const parts = [
    request.query,
    request.scope ?? 'all',
    filters.sort ?? 'relevance',
    since,
    sortedSet(filters.agents ?? []),
    filters.scopePaths === undefined ? null : sortedSet(filters.scopePaths),
  ]
  return digest(JSON.stringify(parts), 16)
}

export function encodeHostCursor(place: CursorPlace, key: string, fence: IndexFence): string {
  const head = [key, indexTag(fence), fence.generation]
  const fields =
    place.order === 'relevance'
      ? [...head, place.offset]
      : [
          ...head,
          fence.removals,
          rungNames.indexOf(place.rung),
          place.after === null ? [] : [place.after.sessionRowId, place.after.updatedAtMs],
          [...place.repairs].flat(),
          place.headMs,
        ]
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

/**
 * Undecodable → malformed; then another index or a moved fence → stale; then another query → malformed
 * [cursor.malformed]. Never throws, whatever the text.
 */
export function checkHostCursor(text: string, key: string, fence: IndexFence): CursorVerdict {
  const fields = decode(text)
  if (fields === null) return { kind: 'malformed' }
  const { place, head } = fields
  if (head.indexTag !== indexTag(fence)) return { kind: 'stale' }
  const moved =
    head.removals === null ? head.generation !== fence.generation : head.removals !== fence.removals
  // A generation yet to come is no state this index ever was in.
  if (moved || head.generation > fence.generation)
    return { kind: 'stale', expectedGeneration: head.generation }
  return head.key === key ? { kind: 'good', place } : { kind: 'malformed' }
}

interface CursorHead {
  readonly key: string
  readonly indexTag: string
  readonly generation: number
  /** Null for relevance, which is held against the generation. */
  readonly removals: number | null
}

function decode(text: string): { head: CursorHead; place: CursorPlace } | null {
  const fields = parseArray(text)
  if (fields === null) return null
  const [key, tag, generation, offsetOrRemovals, rungIndex, after, repairs, headMs] = fields
  if (
    typeof key !== 'string' ||
    typeof tag !== 'string' ||
    !isCount(generation) ||
    !isCount(offsetOrRemovals)
  )
    return null
  if (fields.length === 4) {
    const head = { key, indexTag: tag, generation, removals: null }
    return { head, place: { order: 'relevance', offset: offsetOrRemovals } }
  }
  if (fields.length !== 8 || !isCount(rungIndex) || !Array.isArray(after) || !Array.isArray(repairs))
    return null
  const rung = rungNames[rungIndex]
  const place = readAfter(after)
  const respelt = readRepairs(repairs)
  if (rung === undefined || place === undefined || respelt === null || !isTimeOrNull(headMs)) return null
  const head = { key, indexTag: tag, generation, removals: offsetOrRemovals }
  return { head, place: { order: 'newest', after: place, rung, repairs: respelt, headMs } }
}

/** Only the one spelling that `encodeHostCursor` writes: base64url text has others that decode to the same bytes. */
function parseArray(text: string): unknown[] | null {
  if (text.length > maxCursorUnits || !/^[A-Za-z0-9_-]+$/.test(text)) return null
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) return null
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

function readAfter(
  fields: unknown[],
): { sessionRowId: number; updatedAtMs: number | null } | null | undefined {
  if (fields.length === 0) return null
  const [sessionRowId, updatedAtMs] = fields
  if (fields.length !== 2 || !isCount(sessionRowId)) return undefined
  return isTimeOrNull(updatedAtMs) ? { sessionRowId, updatedAtMs } : undefined
}

function isTimeOrNull(value: unknown): value is number | null {
  return value === null || (typeof value === 'number' && Number.isSafeInteger(value))
}

function readRepairs(fields: unknown[]): Map<string, string> | null {
  const repairs = new Map<string, string>()
  for (let at = 0; at < fields.length; at += 2) {
    const [from, to] = [fields[at], fields[at + 1]]
    if (!isOneTerm(from) || !isOneTerm(to)) return null
    repairs.set(from, to)
  }
  return repairs
}

/** What goes into an FTS5 expression must be a term and nothing else. */
function isOneTerm(value: unknown): value is string {
  return typeof value === 'string' && tokenize(value)[0]?.term === value
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function indexTag(fence: IndexFence): string {
  return digest(fence.indexId, 8)
}

function sortedSet(values: readonly string[]): string[] {
  return [...new Set(values)].sort()
}

function digest(text: string, units: number): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, units)
}
