/** The order of one host's relevance: total, so that every page is cut from the same list. */
import { compareRecency, compareText } from '../../protocol/session-search/hit-order.ts'
import type { Candidate } from './retrieve.ts'

/** A word is worth a little less in a long session, which holds most words somewhere. */
const lengthPenalty = 0.02

export interface Ranked {
  readonly candidate: Candidate
  /** Bigger is better; comparable within one answer only. */
  readonly score: number
}

/** Score descending, then recency with null last, then session id, then agent: no two sessions tie. */
export function rankByRelevance(candidates: readonly Candidate[]): Ranked[] {
  return candidates
    .map((candidate) => ({ candidate, score: scoreOf(candidate) }))
    .sort(
      (a, b) =>
        b.score - a.score ||
        compareRecency(a.candidate.updatedAtMs, b.candidate.updatedAtMs) ||
        compareText(a.candidate.sessionId, b.candidate.sessionId) ||
        compareText(a.candidate.agent, b.candidate.agent),
    )
}

function scoreOf(candidate: Candidate): number {
  const score = -candidate.bm25 - lengthPenalty * Math.log1p(candidate.messageCount)
  return Number.isFinite(score) ? score : 0
}
