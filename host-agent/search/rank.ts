/** The order of one host's relevance: total, so that every page is cut from the same list. */
import { compareRecency, compareText } from '../../protocol/session-search/hit-order.ts'
import { foldCopies } from './copies.ts'
import type { Matches } from './matches.ts'
import { type WeighedMessage, weighTexts } from './message-texts.ts'
import { type Needles, needlesOf } from './query-needles.ts'
import { type Candidate, type Retrieval, sessionOf } from './retrieve.ts'
import { type FoundSession, sessionsToWeigh, type WeighedQuestion } from './retrieve-relevance.ts'
import { type ScoredText, scoreText } from './score-text.ts'

export interface Ranked {
  readonly candidate: Candidate
  /** Bigger is better; comparable within one answer only. 0 for all by recency. */
  readonly score: number
  /** Messages that show why, the best first: none where none matches (operators alone, a title) or none was read yet. */
  readonly weighed: readonly WeighedMessage[]
  /** Rows that match, ascending; may be a part of them. */
  readonly rowIds: readonly number[]
  /** Other sessions that hold nothing but copies of what is found here. */
  readonly duplicateCount: number
}

/** What of a title is added to a message that matches too. */
const titleShare = 0.35
/** What a word is worth that stands only in another message of the session. */
const scatteredWorth = 0.1
/** Scores nearer than this are equal: recency decides then, and not the last bit of a sum. */
const scoreSteps = 1e6

/**
 * A session is worth its best message, not all of them together: a long one holds every word somewhere. Then recency with
 * null last, then session id, then agent, so that no two sessions tie.
 */
export function rankByRelevance(
  retrieval: Retrieval,
  question: WeighedQuestion,
  matches: Matches,
): { ranked: Ranked[]; needles: Needles; capped: boolean } {
  const { sessions, capped } = sessionsToWeigh(retrieval, question, matches)
  if (sessions.length === 0) return { ranked: [], needles: noNeedles, capped }
  const needles = needlesOf(retrieval, question.query, question.rung)
  const weighed = weighAll(retrieval, sessions, needles)
  const copies = foldCopies(
    retrieval,
    sessions.map(({ candidate }) => candidate),
    matches,
  )
  const ranked = sessions
    .filter(({ candidate }) => !copies.hidden.has(candidate.sessionRowId))
    .map(({ candidate, rowIds }) => {
      const { messages, words } = weighed.get(candidate.sessionRowId) ?? nothingWeighed
      const title = candidate.title === '' ? null : scoreText(candidate.title, 'title', needles)
      const score = sessionScore(messages[0], title, words, needles)
      const duplicateCount = copies.folded.get(candidate.sessionRowId) ?? 0
      return { candidate, score, weighed: messages, rowIds, duplicateCount }
    })
    .sort(compareRanked)
  return { ranked, needles, capped }
}

const noNeedles: Needles = { words: [], wholes: [], all: null }

interface WeighedSession {
  /** The best first. */
  readonly messages: readonly WeighedMessage[]
  /** Which of the needles' words stand in any of them. */
  readonly words: ReadonlySet<number>
}

const nothingWeighed: WeighedSession = { messages: [], words: new Set() }

function weighAll(
  { db }: Retrieval,
  sessions: readonly FoundSession[],
  needles: Needles,
): Map<number, WeighedSession> {
  const weighed = new Map<number, { messages: WeighedMessage[]; words: Set<number> }>()
  const rowIds = sessions.flatMap(({ toRead }) => toRead)
  for (const message of weighTexts(db, rowIds, needles)) {
    const id = sessionOf(message.rowId)
    const session = weighed.get(id) ?? { messages: [], words: new Set() }
    weighed.set(id, session)
    session.messages.push(message)
    for (const word of message.words) session.words.add(word)
  }
  return weighed
}

function sessionScore(
  best: WeighedMessage | undefined,
  title: ScoredText | null,
  words: ReadonlySet<number>,
  needles: Needles,
): number {
  const [message, heading] = [best?.score ?? 0, (title?.words.length ?? 0) > 0 ? (title?.score ?? 0) : 0]
  const shown = new Set(message >= heading ? best?.words : title?.words)
  const elsewhere = needles.words.filter((_, at) => words.has(at) && !shown.has(at))
  const scattered = elsewhere.reduce((sum, { weight }) => sum + weight, 0)
  const score =
    Math.max(message, heading) + titleShare * Math.min(message, heading) + scatteredWorth * scattered
  return Math.round(score * scoreSteps) / scoreSteps
}

function compareRanked(a: Ranked, b: Ranked): number {
  return (
    b.score - a.score ||
    compareRecency(a.candidate.updatedAtMs, b.candidate.updatedAtMs) ||
    compareText(a.candidate.sessionId, b.candidate.sessionId) ||
    compareText(a.candidate.agent, b.candidate.agent)
  )
}
