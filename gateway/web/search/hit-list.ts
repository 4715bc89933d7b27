/** Hits in the one order of every answer over all hosts (wire.md §4). */
import { compareRecency, compareText, updatedAtMs } from '../../../protocol/session-search/hit-order.ts'
import type { Hit } from '../../client/browser.ts'

export function keyOf({ executionHostId = '', agent, sessionId }: Hit): string {
  return `${executionHostId}\n${agent}\n${sessionId}`
}

export function compareHits(a: Hit, b: Hit): number {
  return (
    compareRecency(updatedAtMs(a), updatedAtMs(b)) ||
    compareText(a.executionHostId ?? '', b.executionHostId ?? '') ||
    compareText(a.sessionId, b.sessionId) ||
    compareText(a.agent, b.agent)
  )
}

export function inOrder(hits: readonly Hit[]): Hit[] {
  return [...hits].sort(compareHits)
}
