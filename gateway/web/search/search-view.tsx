/** The list of what was found, with its box and its hosts. */
import { useEffect, useState } from 'preact/hooks'
import type { Hit, LegReport, TrawlClient } from '../../client/browser.ts'
import type { AddressBar } from '../address-bar.ts'
import { CopyButton } from '../text/copy-button.tsx'
import { Marked } from '../text/marked.tsx'
import { plainLine } from '../text/plain-text.ts'
import { RelativeTime } from '../text/relative-time.tsx'
import { inOrder, keyOf } from './hit-list.ts'
import './search.css'

const typingPauseMs = 60

interface Found {
  readonly hits: readonly Hit[]
  readonly legs: readonly LegReport[]
  readonly isWhole: boolean
  readonly trouble: string
}
const nothingYet: Found = { hits: [], legs: [], isWhole: false, trouble: '' }

export interface SearchViewProps {
  readonly client: TrawlClient
  readonly bar: AddressBar
  /** Whether the gateway can be asked. What was found stays when it cannot, and is asked for again when it can. */
  readonly isLinked: boolean
}

export function SearchView({ client, bar, isLinked }: SearchViewProps) {
  const { query } = bar.address
  const [found, setFound] = useState(nothingYet)
  useEffect(() => {
    if (query.trim() === '') return setFound(nothingYet)
    if (!isLinked) return
    const leaving = new AbortController()
    const timer = setTimeout(() => void run(client, query, leaving.signal, setFound), typingPauseMs)
    return () => {
      clearTimeout(timer)
      leaving.abort()
    }
  }, [client, query, isLinked])
  return (
    <main class="search">
      <label>
        Search{' '}
        <input
          type="search"
          autofocus
          value={query}
          onInput={(event) => bar.go({ query: event.currentTarget.value }, 'replace')}
        />
      </label>
      <ul class="hosts" aria-label="Hosts">
        {found.legs.map((leg) => (
          <li key={leg.executionHostId}>
            <bdi>{leg.executionHostId}</bdi>{' '}
            {leg.outcome === 'results' ? `${Math.round(leg.durationMs)} ms` : (leg.reason ?? leg.outcome)}
          </li>
        ))}
      </ul>
      <p role="status">{sayState(query, found)}</p>
      <CopyButton label="Copy link" text={() => location.href} />
      <ol class="hits">
        {found.hits.map((hit) => (
          <li key={keyOf(hit)}>
            <h2 dir="auto">{plainLine(hit.title) || '(no title)'}</h2>
            <p>
              {[hit.executionHostId, hit.agent, hit.cwd, hit.branch].filter(Boolean).map((part) => (
                <bdi key={part}>{plainLine(part ?? '')} </bdi>
              ))}
              {hit.updatedAt === null ? null : <RelativeTime at={hit.updatedAt} />}
            </p>
            {hit.evidence === null ? null : (
              <p dir="auto">
                <Marked snippet={hit.evidence.snippet} />
              </p>
            )}
          </li>
        ))}
      </ol>
    </main>
  )
}

async function run(client: TrawlClient, query: string, signal: AbortSignal, show: (found: Found) => void) {
  let soFar = nothingYet
  try {
    for await (const part of client.partial({ query, executionHostId: 'all' }, { signal })) {
      if (signal.aborted) return
      if (part.kind === 'leg') {
        soFar = { ...soFar, hits: inOrder([...soFar.hits, ...part.hits]), legs: [...soFar.legs, part.leg] }
        show(soFar)
      } else if (part.answer.kind === 'results')
        show({ hits: part.answer.hits, legs: part.answer.hosts, isWhole: true, trouble: '' })
      else show({ ...soFar, trouble: 'No host could be searched.' })
    }
  } catch (error) {
    if (!signal.aborted) show({ ...soFar, trouble: error instanceof Error ? error.message : String(error) })
  }
}

/** "Nothing found" only where every host that was asked has answered. */
function sayState(query: string, { hits, legs, isWhole, trouble }: Found): string {
  if (query.trim() === '') return 'Type what was said or done.'
  if (trouble !== '') return trouble
  if (!isWhole) return 'Searching…'
  const missing = legs.filter(({ outcome }) => outcome !== 'results').map((leg) => leg.executionHostId)
  const lost = missing.length === 0 ? '' : ` Not searched: ${missing.join(', ')}.`
  if (hits.length > 0) return `${hits.length} ${hits.length === 1 ? 'hit' : 'hits'}.${lost}`
  return missing.length === 0 ? 'Nothing found.' : `No hits on the hosts that answered.${lost}`
}
