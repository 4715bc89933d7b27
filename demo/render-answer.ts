/** An answer as `trawl search` shows it on a terminal, and then what became of each host, a line each. */

import type { OutputStream } from '../gateway/cli/command-context.ts'
import { renderHitForTerminal } from '../gateway/cli/render-hits.ts'
import { createStyle } from '../gateway/cli/style.ts'
import { createTextMeasure } from '../gateway/cli/text-width.ts'
import { sayWhy } from '../gateway/words/say-why.ts'
import type { LegReport, SearchResults } from '../protocol/session-search/response.ts'

const defaultColumns = 110

export function renderAnswer(
  { hits, hosts = [] }: SearchResults,
  output: OutputStream,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const style = createStyle(output, env, false)
  const layout = {
    columns: output.columns ?? defaultColumns,
    nowMs: Date.now(),
    style,
    measure: createTextMeasure(),
    askedHostId: 'all',
  }
  const lines = hosts.map((leg) => {
    const shown = hits.filter((hit) => hit.executionHostId === leg.executionHostId).length
    return style.dim(hostLine(leg, shown))
  })
  return `${hits.map((hit) => renderHitForTerminal(hit, layout)).join('')}\n${lines.join('\n')}\n`
}

/** `ssh:devbox    results       3 hits     31 ms` */
function hostLine(leg: LegReport, shown: number): string {
  const what = leg.outcome === 'results' ? `${shown} ${shown === 1 ? 'hit' : 'hits'}` : sayWhy(leg)
  return [
    leg.executionHostId.padEnd(12),
    leg.outcome.padEnd(12),
    what.padStart(8),
    `${leg.durationMs} ms`.padStart(8),
  ].join('  ')
}
