/** One session as the contract's hit: its facts, and the message that shows why it was found. */
import type { Hit } from '../../protocol/session-search/hit.ts'
import type { SessionRecord } from '../index/read.ts'

/** Why a session is a hit. */
export interface FoundHit {
  readonly score: number
  readonly evidence: Hit['evidence']
  /** Other sessions folded into this one. */
  readonly duplicateCount: number
}

/**
 * @returns the hit as the machine itself may see it; what a connection may not see is removed later [evidence.hit-fields].
 * A session whose transcript the index cannot vouch for is `unverifiable`, and has no resume command: the stored one
 * is passed on, never made here [exposure.resume-stored].
 */
export function hitOf(session: SessionRecord, found: FoundHit): Hit {
  const mayResume = session.hasSource && session.resumeCommand !== null
  return {
    agent: session.agent,
    sessionId: session.sessionId,
    title: session.title,
    cwd: session.cwd,
    branch: session.branch,
    updatedAt: isoTime(session.updatedAtMs),
    messageCount: session.messageCount,
    score: found.score,
    source: {
      presence: session.hasSource ? 'present' : 'unverifiable',
      filePath: session.filePath,
      ...(session.codexHome === null ? {} : { codexHome: session.codexHome }),
    },
    evidence: found.evidence,
    ...(found.duplicateCount === 0 ? {} : { duplicateCount: found.duplicateCount }),
    ...(mayResume && session.resumeCommand !== null ? { resumeCommand: session.resumeCommand } : {}),
  }
}

/** Null also for a time that no date can hold. */
export function isoTime(ms: number | null): string | null {
  const date = new Date(ms ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
