/** The page: says who is calling, and shows the hits of every host as they land. */
import { render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Hit } from '../../protocol/session-search/hit.ts'
import { compareRecency, compareText, updatedAtMs } from '../../protocol/session-search/hit-order.ts'
import type { LegReport, SearchResponse } from '../../protocol/session-search/response.ts'
import { type GatewayLink, openGatewayLink } from './gateway-link.ts'
import { type Invitation, pairBrowser, readInvitation } from './pair-browser.ts'
import './page.css'

const typingPauseMs = 120
const tokenKey = 'trawl.token'
const webSocketBase = location.origin.replace(/^http/, 'ws')

function Page({ invitation }: { invitation: Invitation | null }) {
  const [isPairing, setPairing] = useState(invitation !== null)
  const [link, setLink] = useState<GatewayLink | null>(null)
  const [trouble, setTrouble] = useState('')

  async function enter(token: string, storage = sessionStorage) {
    try {
      const opened = await openGatewayLink(`${webSocketBase}/rpc`, token)
      storage.setItem(tokenKey, token)
      setTrouble('')
      setLink(opened)
      const { revoked } = await opened.closed
      if (revoked) storage.removeItem(tokenKey)
      setLink(null)
      setTrouble(
        revoked
          ? 'This token is good no more. Give another.'
          : 'The gateway went away. Start it: trawl serve',
      )
    } catch (error) {
      setTrouble(error instanceof Error ? error.message : String(error))
    }
  }

  useEffect(() => {
    const storage = sessionStorage.getItem(tokenKey) === null ? localStorage : sessionStorage
    const kept = storage.getItem(tokenKey)
    if (kept !== null && invitation === null) void enter(kept, storage)
  }, [])
  if (isPairing && invitation !== null) {
    const onToken = async (token: string) => {
      setPairing(false)
      await enter(token, localStorage)
    }
    return (
      <main>
        <Pairing invitation={invitation} onToken={onToken} />
      </main>
    )
  }
  return <main>{link === null ? <Entry trouble={trouble} onToken={enter} /> : <Search link={link} />}</main>
}

function Pairing(props: { invitation: Invitation; onToken(token: string): Promise<void> }) {
  const name = useRef<HTMLInputElement>(null)
  const [words, setWords] = useState('The owner of the gateway will see this name.')
  async function pair() {
    try {
      const onDigits = (digits: string, gatewayName: string) =>
        setWords(
          `Compare with the screen of ${gatewayName}, and confirm there: ${digits.slice(0, 3)} ${digits.slice(3)}`,
        )
      const called = name.current?.value.trim() || 'Browser'
      await props.onToken(await pairBrowser(`${webSocketBase}/pair`, props.invitation, called, onDigits))
    } catch (error) {
      setWords(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void pair()
      }}
    >
      <h1>Pair this browser</h1>
      <label>
        Name of this device <input ref={name} maxLength={100} autocomplete="off" />
      </label>
      <button type="submit">Pair</button>
      <p role="status">{words}</p>
    </form>
  )
}

function Entry({ trouble, onToken }: { trouble: string; onToken(token: string): Promise<void> }) {
  const field = useRef<HTMLInputElement>(null)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void onToken(field.current?.value.trim() ?? '')
      }}
    >
      <h1>Trawl</h1>
      <label>
        Token of this machine <input ref={field} type="password" autocomplete="off" />
      </label>
      <button type="submit">Enter</button>
      <p role="status">
        {trouble || 'It is in the file "token" of the data directory on the gateway\'s machine.'}
      </p>
    </form>
  )
}

interface Found {
  readonly hits: readonly Hit[]
  readonly legs: readonly LegReport[]
  readonly isWhole: boolean
  readonly trouble: string
}
const nothingYet: Found = { hits: [], legs: [], isWhole: false, trouble: '' }

function Search({ link }: { link: GatewayLink }) {
  const [query, setQuery] = useState('')
  const [found, setFound] = useState(nothingYet)
  useEffect(() => {
    if (query.trim() === '') return setFound(nothingYet)
    const leaving = new AbortController()
    const timer = setTimeout(() => void run(link, query, leaving.signal, setFound), typingPauseMs)
    return () => {
      clearTimeout(timer)
      leaving.abort()
    }
  }, [link, query])
  return (
    <>
      <label>
        Search{' '}
        <input type="search" autofocus value={query} onInput={(e) => setQuery(e.currentTarget.value)} />
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
      <ol class="hits">
        {found.hits.map((hit) => (
          <li key={keyOf(hit)}>
            <h2 dir="auto">{hit.title || '(no title)'}</h2>
            <p>
              {[hit.executionHostId, hit.agent, hit.cwd, hit.branch].filter(Boolean).map((part) => (
                <bdi key={part}>{part} </bdi>
              ))}
              {hit.updatedAt === null ? null : <time dateTime={hit.updatedAt}>{hit.updatedAt}</time>}
            </p>
            {hit.evidence === null ? null : <p dir="auto">{marked(hit.evidence.snippet)}</p>}
          </li>
        ))}
      </ol>
    </>
  )
}

async function run(link: GatewayLink, query: string, signal: AbortSignal, show: (found: Found) => void) {
  let soFar = nothingYet
  try {
    const onProgress = (value: unknown) => {
      const { hits, ...leg } = value as LegReport & { readonly hits: readonly Hit[] }
      soFar = { ...soFar, hits: inOrder([...soFar.hits, ...hits]), legs: [...soFar.legs, leg as LegReport] }
      show(soFar)
    }
    const request = { query, executionHostId: 'all' }
    const answer = (await link.call('aiVault.searchSessions', request, {
      signal,
      onProgress,
    })) as SearchResponse
    if (answer.kind !== 'results') return show({ ...soFar, trouble: 'No host could be searched.' })
    show({ hits: answer.hits, legs: answer.hosts ?? soFar.legs, isWhole: true, trouble: '' })
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

/** The total order of an answer over all hosts. */
function inOrder(hits: readonly Hit[]): Hit[] {
  return [...hits].sort(
    (a, b) => compareRecency(updatedAtMs(a), updatedAtMs(b)) || compareText(keyOf(a), keyOf(b)),
  )
}

function keyOf({ executionHostId, sessionId, agent }: Hit): string {
  return [executionHostId, sessionId, agent].join('\n')
}

/** A snippet with its `[[` and `]]` as marks; all of it stays text. */
function marked(snippet: string) {
  return snippet
    .split(/\[\[(.*?)\]\]/su)
    .map((text, at) => (at % 2 === 1 ? <mark key={`${at}`}>{text}</mark> : text))
}

const place = document.getElementById('page')
const invitation = readInvitation(location.hash)
// A code is good once, and nobody's to read in the address bar or the history.
if (invitation !== null) history.replaceState(null, '', location.pathname)
if (place !== null) render(<Page invitation={invitation} />, place)
