/** What of a session is shown: the message that answers best, and the next best of its others. */
import type { Hit } from '../../protocol/session-search/hit.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { isoTime } from './hit.ts'
import { type WeighedMessage, weighTexts } from './message-texts.ts'
import type { Phrase } from './plan.ts'
import type { Needles } from './query-needles.ts'
import { spread } from './retrieve-relevance.ts'
import { cutSnippet } from './snippet.ts'
import { type TranscriptBlock, transcriptBlocks } from './transcript-blocks.ts'

type Evidence = NonNullable<Hit['evidence']>
type Shown = Omit<Evidence, 'further'>

/** Of a session's matching messages, how many are read where ranking has read fewer. */
const maxRead = 8
const maxFurther = 3

export interface EvidenceQuestion {
  readonly needles: Needles
  readonly highlights: readonly Phrase[]
}

/**
 * @param found its matching rows, and what ranking has read of them, the best first.
 * @returns null where no message matches (operators alone, a title); `cut` when the first snippet was longer than one may be.
 */
export function evidenceOf(
  db: SqlDatabase,
  sessionRowId: number,
  found: { readonly weighed: readonly WeighedMessage[]; readonly rowIds: readonly number[] },
  { needles, highlights }: EvidenceQuestion,
): { evidence: Evidence; cut: boolean } | null {
  const isEnough = found.weighed.length >= Math.min(1 + maxFurther, found.rowIds.length)
  const read = isEnough ? found.weighed : weighTexts(db, spread(found.rowIds, maxRead), needles)
  const best = found.weighed[0] ?? read[0]
  if (best === undefined) return null
  const blocks = transcriptBlocks(db, sessionRowId)
  const { shown, cut } = show(best, highlights, blocks)
  const further: Shown[] = []
  const seen = new Set([placeOf(best)])
  for (const message of read) {
    if (further.length === maxFurther) break
    if (seen.has(placeOf(message))) continue
    seen.add(placeOf(message))
    const next = show(message, highlights, blocks).shown
    if (next.snippet !== '') further.push(next)
  }
  return { evidence: { ...shown, ...(further.length === 0 ? {} : { further }) }, cut }
}

function show(
  message: WeighedMessage,
  highlights: readonly Phrase[],
  blocks: readonly TranscriptBlock[],
): { shown: Shown; cut: boolean } {
  const { text, cut } = cutSnippet(message.text, highlights)
  const block = blocks.find(({ fileId }) => fileId === message.fileId)
  return {
    shown: {
      snippet: text,
      role: message.role,
      timestamp: isoTime(message.timestampMs),
      ...(block === undefined ? {} : { messageIndex: block.start + message.position }),
    },
    cut,
  }
}

/** Chunks of one long message are one message. */
function placeOf({ fileId, position }: WeighedMessage): string {
  return `${fileId}/${position}`
}
