/** Why a host has no part in an answer, in words. */
import type { LegReport } from '../../protocol/session-search/response.ts'
import { sayDuration } from './say-time.ts'

const reasonWords: Readonly<Record<NonNullable<LegReport['reason']>, string>> = {
  timeout: 'timeout',
  offline: 'offline',
  connecting: 'still connecting',
  'auth-failed': 'login refused',
  'host-key': 'host key unknown or changed',
  protocol: 'its answer was not understood',
  'agent-missing': 'no agent could be started there',
  crashed: 'its agent ended',
  'not-configured': 'not usable as configured',
  disabled: 'search is switched off there',
  'not-ready': 'its index is not ready yet',
  'no-service': 'it offers no session search',
}

/** `timeout after 10 s`, `offline`, …: why a host has no part in the answer. */
export function sayWhy(leg: LegReport): string {
  if (leg.outcome === 'stale-cursor') return 'its index changed since the last page'
  if (leg.outcome === 'malformed-cursor') return 'the cursor is not one of its own'
  if (leg.reason === undefined) return 'no reason given'
  const words = reasonWords[leg.reason]
  if (leg.reason === 'timeout' && leg.skipped === true) return 'not asked after timeouts'
  return leg.reason === 'timeout' ? `${words} after ${sayDuration(leg.durationMs)}` : words
}
