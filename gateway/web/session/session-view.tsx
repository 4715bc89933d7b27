/** One session, read: its head, its transcript around what was found, and how to go on from here. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Hit, TrawlClient } from '../../client/browser.ts'
import { splitMarks } from '../text/split-marks.ts'
import { openTranscript, type SessionName, type TranscriptReader } from './open-transcript.ts'
import { SessionHead } from './session-head.tsx'
import { soughtIn } from './sought-words.ts'
import { Transcript } from './transcript.tsx'
import { messagesOf } from './transcript-pages.ts'
import { TroubleNote } from './trouble-note.tsx'
import './session.css'

export interface SessionViewProps {
  readonly client: TrawlClient
  readonly open: SessionName
  readonly query: string
  /** The message that is looked at; null for the session's head. */
  readonly at: number | null
  /** The hit it was opened from, where there was one. */
  readonly hit?: Hit | null
  /** Told which message the reader has come to. */
  onAt(index: number): void
  onClose(): void
}

export function SessionView({ client, open, query, at, hit = null, onAt, onClose }: SessionViewProps) {
  const { executionHostId, agent, sessionId } = open
  const reader = useTranscript(client, open, at)
  const phrases = useMemo(() => soughtIn(query, matchedIn(hit)), [query, hit])
  const section = useRef<HTMLElement>(null)
  /** Where the reader is, as the address was last told, or told us. */
  const told = useRef(at)
  const [wanted, setWanted] = useState({ at })
  const view = reader?.view ?? { kind: 'reading' as const }

  // Another message of the same session was asked for from outside, such as by going back.
  useEffect(() => {
    if (reader === null || at === told.current) return
    told.current = at
    setWanted({ at })
    const isThere = view.kind === 'shown' && messagesOf(view.pages).some(({ index }) => index === at)
    if (!isThere) void reader.read(at)
  }, [reader, at])
  useEffect(() => {
    section.current?.querySelector('h2')?.focus()
  }, [executionHostId, agent, sessionId])

  return (
    <section
      ref={section}
      class="session"
      aria-labelledby="session-title"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        event.preventDefault()
        onClose()
      }}
    >
      <SessionHead
        name={open}
        hit={hit}
        session={view.kind === 'shown' ? view.pages.session : null}
        onClose={onClose}
      />
      {view.kind === 'reading' ? (
        <p class="session-state" role="status">
          Reading the session…
        </p>
      ) : view.kind === 'trouble' ? (
        <TroubleNote trouble={view.trouble} onAgain={() => void reader?.read(told.current)} />
      ) : reader === null ? null : (
        <Transcript
          // Another session, or the same one read anew, begins with nothing open.
          key={`${executionHostId}/${agent}/${sessionId}`}
          reader={reader}
          view={view}
          agent={agent}
          phrases={phrases}
          wanted={wanted}
          onAt={(index) => {
            if (index === told.current) return
            told.current = index
            onAt(index)
          }}
        />
      )}
    </section>
  )
}

/** A reader of that session; it is another one when the session is. */
function useTranscript(client: TrawlClient, open: SessionName, at: number | null): TranscriptReader | null {
  const [reader, setReader] = useState<TranscriptReader | null>(null)
  const [, setVersion] = useState(0)
  useEffect(() => {
    const opened = openTranscript(client, open, at)
    setReader(opened)
    const stop = opened.onChange(() => setVersion((version) => version + 1))
    return () => {
      stop()
      opened[Symbol.dispose]()
    }
  }, [client, open.executionHostId, open.agent, open.sessionId])
  return reader
}

/** What the engine marked, for it may stand in for a misspelt word. */
function matchedIn(hit: Hit | null): string[] {
  const { evidence } = hit ?? { evidence: null }
  const snippets = evidence === null ? [] : [evidence, ...(evidence.further ?? [])]
  return snippets.flatMap(({ snippet }) =>
    splitMarks(snippet).flatMap(({ text, isMatch }) => (isMatch ? [text] : [])),
  )
}
