/** Makes hits of the sessions of one page: snippets are cut for these alone. */
import type { Hit } from '../../protocol/session-search/hit.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { readSessions } from '../index/read.ts'
import { type EvidenceQuestion, evidenceOf } from './evidence.ts'
import { hitOf } from './hit.ts'
import type { CursorPlace } from './host-cursor.ts'
import type { Matches } from './matches.ts'
import type { Ranked } from './rank.ts'

export interface ShownHits {
  /** In order, each with the place after it. */
  readonly hits: readonly { readonly hit: Hit; readonly after: CursorPlace }[]
  /** How many first snippets were longer than one may be. */
  readonly cutSnippets: number
}

/** Looks up the matching rows of sessions that were found otherwise, by a title, where not all rows are listed. */
export function withRows(shown: readonly Ranked[], matches: Matches): readonly Ranked[] {
  const bare = shown.filter(({ rowIds }) => rowIds.length === 0)
  if (bare.length === 0 || matches.listed !== null) return shown
  const rows = matches.rowsOf(bare.map(({ candidate }) => candidate.sessionRowId))
  return shown.map((ranked) =>
    ranked.rowIds.length > 0 ? ranked : { ...ranked, rowIds: rows.get(ranked.candidate.sessionRowId) ?? [] },
  )
}

/** @param question null where no words were looked for. */
export function showHits(
  db: SqlDatabase,
  shown: readonly Ranked[],
  question: EvidenceQuestion | null,
  placeAfter: (at: number, ranked: Ranked) => CursorPlace,
): ShownHits {
  let cutSnippets = 0
  const hits = shown.flatMap((ranked, at) => {
    const { candidate, score, duplicateCount } = ranked
    const [session] = readSessions(db, [candidate.sessionRowId])
    if (session === undefined) return []
    const found = question === null ? null : evidenceOf(db, candidate.sessionRowId, ranked, question)
    if (found?.cut === true) cutSnippets++
    const hit = hitOf(session, { score, evidence: found?.evidence ?? null, duplicateCount })
    return [{ hit, after: placeAfter(at, ranked) }]
  })
  return { hits, cutSnippets }
}
