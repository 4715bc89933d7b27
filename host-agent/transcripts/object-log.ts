/** Replays a log of changes to one JSON object, as VS Code keeps its chats: a first state, then what was set in it. */
import { logRecords } from './json-document.ts'
import { listAt } from './json-record.ts'

export interface ReplayedObject {
  /** Undefined where the log has no first state. */
  readonly value: unknown
  /** Lines that are no JSON, or that change what is not there. */
  readonly badLines: number
}

const initialKind = 0
const setKind = 1
const pushKind = 2
const deleteKind = 3

export function replayObjectLog(bytes: Buffer): ReplayedObject {
  let value: unknown
  let badLines = 0
  for (const record of logRecords(bytes)) {
    if (record?.kind === initialKind) value = record.v
    else if (record === null || !applied(value, record.kind, listAt(record, 'k'), record.v, record.i))
      badLines += 1
  }
  return { value, badLines }
}

/** @returns false where the path leads nowhere, or the change is of no known kind. */
function applied(
  root: unknown,
  kind: unknown,
  path: readonly unknown[],
  given: unknown,
  from: unknown,
): boolean {
  const parent = path.slice(0, -1).reduce<unknown>((at, key) => placeIn(at, key)?.get(), root)
  const place = placeIn(parent, path.at(-1))
  if (place === null) return false
  if (kind === setKind) place.set(given)
  else if (kind === deleteKind) place.set(undefined)
  else if (kind === pushKind) {
    const there = place.get()
    const list: unknown[] = Array.isArray(there) ? [...there] : []
    // What comes behind the place is replaced.
    if (typeof from === 'number' && from >= 0) list.length = Math.min(list.length, Math.trunc(from))
    place.set(Array.isArray(given) ? [...list, ...given] : list)
  } else return false
  return true
}

interface Place {
  get(): unknown
  set(value: unknown): void
}

/** An index within a list, or a name within an object – none of JavaScript's own, so that a log reaches no prototype. */
function placeIn(at: unknown, key: unknown): Place | null {
  if (Array.isArray(at)) {
    const isIndex = typeof key === 'number' && Number.isInteger(key) && key >= 0 && key <= at.length
    return isIndex ? { get: () => at[key], set: (value) => at.splice(key, 1, value) } : null
  }
  if (typeof at !== 'object' || at === null || typeof key !== 'string' || ownNames.has(key)) return null
  const members = at as Record<string, unknown>
  return {
    get: () => members[key],
    set: (value) => {
      members[key] = value
    },
  }
}

const ownNames = new Set(['__proto__', 'constructor', 'prototype'])
