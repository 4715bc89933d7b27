/** The answer a benchmark's host gives to every search: a full page of hits as a relay sends them. */
import type { Hit } from '../protocol/session-search/hit.ts'
import type { SearchResults } from '../protocol/session-search/response.ts'
import { between, hex, pick, type Random, uuid } from './random.ts'

const words =
  'the reconnect loop waits for a socket that was closed before its handler ran so the retry never fires and each session keeps one timer alive until the process ends with an error in the log'.split(
    ' ',
  )

/** @param random seeded with the host's number, so that no two hosts hold the same sessions. */
export function preparedAnswer(random: Random, hitCount: number): SearchResults {
  const newestMs = Date.UTC(2026, 10, 1) - between(random, 0, 30 * 86_400_000)
  const hits = Array.from({ length: hitCount }, (_, at) =>
    hit(random, newestMs - at * between(random, 60_000, 86_400_000)),
  )
  const last = hits.at(-1)
  return {
    kind: 'results',
    hits,
    page: { cursor: last?.cursor ?? null, hasMore: last !== undefined, startCursor: cursor(random) },
    generation: between(random, 1, 100_000),
    truncated: { candidates: false, snippets: 3, query: false, freshness: false },
    durationMs: between(random, 2, 40),
  }
}

function hit(random: Random, updatedMs: number): Hit {
  const updatedAt = new Date(updatedMs).toISOString()
  return {
    agent: pick(random, ['claude', 'codex']),
    sessionId: uuid(random),
    title: sentence(random, 8),
    cwd: `/home/dev/src/${pick(random, words)}-${pick(random, words)}`,
    branch: pick(random, ['main', 'fix/reconnect', 'feature/all-hosts']),
    updatedAt,
    messageCount: between(random, 2, 900),
    score: random() * 20,
    source: { presence: 'present' },
    evidence: {
      snippet: `${sentence(random, 14)} [[${pick(random, words)}]] ${sentence(random, 14)}`,
      role: pick(random, ['user', 'assistant', 'tool']),
      timestamp: updatedAt,
    },
    cursor: cursor(random),
  }
}

function sentence(random: Random, length: number): string {
  return Array.from({ length }, () => pick(random, words)).join(' ')
}

/** About as long as a host's own. */
function cursor(random: Random): string {
  return hex(random, 96)
}
