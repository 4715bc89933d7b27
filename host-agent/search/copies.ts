/**
 * Folds copies of one conversation: forks and resumes that repeat its messages under a session id of their own.
 * A session is folded into another of its lineage when everything in it that matches stands there too, said at the same
 * instant. Whatever matches in it alone keeps it in the list, so nothing that was found is ever hidden.
 */
import { compareRecency, compareText } from '../../protocol/session-search/hit-order.ts'
import type { Matches } from './matches.ts'
import { readTexts } from './message-texts.ts'
import { type Candidate, type Retrieval, sessionOf } from './retrieve.ts'

export interface FoldedCopies {
  /** Sessions to leave out, by row id. */
  readonly hidden: ReadonlySet<number>
  /** Row id of a session that stays → how many are folded into it. */
  readonly folded: ReadonlyMap<number, number>
}

/**
 * @param candidates all the sessions the rung finds that may stand for each other. What comes of them depends on nothing
 * else, and on no page: of equals the most recently updated stays, then the first in the order of hits.
 */
export function foldCopies(
  retrieval: Retrieval,
  candidates: readonly Candidate[],
  matches: Matches,
): FoldedCopies {
  const hidden = new Set<number>()
  const folded = new Map<number, number>()
  const families = familiesOf(candidates)
  if (families.length === 0) return { hidden, folded }
  const found = whatMatches(retrieval, families.flat(), matches)
  for (const family of families) {
    const kept: Candidate[] = []
    // The fullest first: whoever holds all of another holds no less than it.
    for (const candidate of family.sort((a, b) => sizeOf(found, b) - sizeOf(found, a) || compareHits(a, b))) {
      const into = kept.sort(compareHits).find((other) => holdsAll(found, other, candidate))
      if (into === undefined) kept.push(candidate)
      else {
        hidden.add(candidate.sessionRowId)
        folded.set(into.sessionRowId, (folded.get(into.sessionRowId) ?? 0) + 1)
      }
    }
  }
  return { hidden, folded }
}

/** Lineages that more than one of the sessions has. */
function familiesOf(candidates: readonly Candidate[]): Candidate[][] {
  const families = new Map<string, Candidate[]>()
  for (const candidate of candidates) {
    if (candidate.lineage === null) continue
    const family = families.get(candidate.lineage)
    if (family === undefined) families.set(candidate.lineage, [candidate])
    else family.push(candidate)
  }
  return [...families.values()].filter((family) => family.length > 1)
}

/** Null for a session of which not all that matches is known: it is neither folded nor folded into. */
type WhatMatches = ReadonlyMap<number, ReadonlySet<string> | null>

function whatMatches(retrieval: Retrieval, family: readonly Candidate[], matches: Matches): WhatMatches {
  const rows = matches.rowsOf(family.map(({ sessionRowId }) => sessionRowId))
  const isAllKnown = (ids: readonly number[]) =>
    matches.listed !== null || ids.length < retrieval.limits.rowsOfSession
  const found = new Map<number, Set<string> | null>()
  for (const { sessionRowId, title } of family) {
    const known = isAllKnown(rows.get(sessionRowId) ?? [])
    found.set(
      sessionRowId,
      known ? new Set(matches.titled.has(sessionRowId) ? [`title ${title}`] : []) : null,
    )
  }
  const wanted = [...rows].flatMap(([id, ids]) => (found.get(id) === null ? [] : ids))
  for (const { rowId, timestampMs, role, text } of readTexts(retrieval.db, wanted)) {
    // Without a time there is no telling a copy from the same words said again.
    found.get(sessionOf(rowId))?.add(`${timestampMs ?? `row ${rowId}`} ${role} ${text}`)
  }
  return found
}

function sizeOf(found: WhatMatches, { sessionRowId }: Candidate): number {
  return found.get(sessionRowId)?.size ?? 0
}

function holdsAll(found: WhatMatches, holder: Candidate, held: Candidate): boolean {
  const [all, some] = [found.get(holder.sessionRowId), found.get(held.sessionRowId)]
  if (all === null || all === undefined || some === null || some === undefined || some.size === 0)
    return false
  for (const one of some) if (!all.has(one)) return false
  return true
}

/** The order of hits by recency. */
function compareHits(a: Candidate, b: Candidate): number {
  return (
    compareRecency(a.updatedAtMs, b.updatedAtMs) ||
    compareText(a.sessionId, b.sessionId) ||
    compareText(a.agent, b.agent)
  )
}
