/** Which rows a list shows while hosts still answer: in the one order, and with nothing moving under the selection. */
import type { Hit } from '../../../protocol/session-search/hit.ts'
import { compareRecency, compareText, updatedAtMs } from '../../../protocol/session-search/hit-order.ts'

export interface Arranged {
  readonly rows: readonly Hit[]
  /** Rows that belong above the selected one and came after it was shown. */
  readonly waiting: readonly Hit[]
}

export function keyOf({ executionHostId = '', agent, sessionId }: Hit): string {
  return `${executionHostId}\n${agent}\n${sessionId}`
}

/** The order of every `all` answer (wire.md §4). */
export function compareHits(a: Hit, b: Hit): number {
  return (
    compareRecency(updatedAtMs(a), updatedAtMs(b)) ||
    compareText(a.executionHostId ?? '', b.executionHostId ?? '') ||
    compareText(a.sessionId, b.sessionId) ||
    compareText(a.agent, b.agent)
  )
}

/**
 * @param target what is known by now, in order.
 * @param shown what is on the screen.
 * @param heldKey the row that may not be pushed away; null where nothing is selected yet.
 */
export function arrangeRows(target: readonly Hit[], shown: readonly Hit[], heldKey: string | null): Arranged {
  const held = heldKey === null ? undefined : shown.find((hit) => keyOf(hit) === heldKey)
  if (held === undefined) return { rows: target, waiting: [] }
  const shownKeys = new Set(shown.map(keyOf))
  const heldAt = target.findIndex((hit) => keyOf(hit) === heldKey)
  // A row that a fuller answer pushed off the page stays for as long as it is selected.
  const whole = heldAt >= 0 ? target : [...target, held].sort(compareHits)
  const at = whole.findIndex((hit) => keyOf(hit) === heldKey)
  const waiting = whole.filter((hit, index) => index < at && !shownKeys.has(keyOf(hit)))
  const waitingKeys = new Set(waiting.map(keyOf))
  return { rows: whole.filter((hit) => !waitingKeys.has(keyOf(hit))), waiting }
}
