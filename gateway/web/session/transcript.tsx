/** The transcript as it is read: entries, more of them at both ends, matches one after the other, and keys for all of it. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import {
  entriesIn,
  entryAt,
  focusedEntry,
  hereIn,
  indexOf,
  type KeptPlace,
  keepPlace,
  placeIn,
  showPlace,
} from './keep-place.ts'
import { MatchBar } from './match-bar.tsx'
import type { TranscriptReader, TranscriptView } from './open-transcript.ts'
import type { SoughtPhrase } from './sought-words.ts'
import { TranscriptEdge } from './transcript-edge.tsx'
import { entriesOf, messagesIn, type ToolsEntry } from './transcript-entries.ts'
import { TranscriptFeed } from './transcript-feed.tsx'
import { messagesOf } from './transcript-pages.ts'
import { useMatches } from './use-matches.ts'
import { useMessageTexts } from './use-message-texts.ts'

export interface TranscriptProps {
  readonly reader: TranscriptReader
  readonly view: Extract<TranscriptView, { kind: 'shown' }>
  readonly agent: string
  readonly phrases: readonly SoughtPhrase[]
  /** A message to go to; another object each time. */
  readonly wanted: { readonly at: number | null }
  onAt(index: number): void
}

export function Transcript({ reader, view, agent, phrases, wanted, onAt }: TranscriptProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const kept = useRef<KeptPlace | null>(null)
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const [whole, setWhole] = useState<ReadonlySet<number>>(new Set())
  const messages = useMemo(() => messagesOf(view.pages), [view.pages])
  const entries = useMemo(() => entriesOf(messages), [messages])
  const textOf = useMessageTexts(phrases, whole)
  const counts = useMemo(
    () =>
      messages
        .map((message) => ({ index: message.index, count: textOf(message).matchCount }))
        .filter(({ count }) => count > 0),
    [messages, textOf],
  )
  const matches = useMatches(reader, view, counts)
  const { current } = matches

  // What stands highest stays where it is while more comes above it.
  useLayoutEffect(() => {
    if (scroller.current !== null && kept.current !== null) keepPlace(scroller.current, kept.current)
    kept.current = null
  }, [view])
  useEffect(
    () =>
      reader.onChange(() => {
        kept.current = scroller.current === null ? null : placeIn(scroller.current)
      }),
    [reader],
  )

  useLayoutEffect(() => {
    if (wanted.at === null || scroller.current === null) return
    const match = counts.find(({ index }) => index === wanted.at)
    matches.goTo(match === undefined ? null : { index: match.index, number: 0 })
    if (match === undefined) showPlace(scroller.current, entryAt(scroller.current, wanted.at), null)
  }, [wanted])

  // A match may be in what is folded, or behind where a long message is cut.
  useLayoutEffect(() => {
    const message = messages.find(({ index }) => index === current?.index)
    if (message === undefined || current === null) return
    if (message.role === 'tool') add(setOpen, message.index)
    if (textOf(message).shownMatches <= current.number) add(setWhole, message.index)
  }, [current])
  const isOpen = (entry: ToolsEntry) => messagesIn(entry).some(({ index }) => open.has(index))
  useLayoutEffect(() => {
    if (current === null || scroller.current === null) return
    const places = scroller.current.querySelectorAll<HTMLElement>(`[data-index="${current.index}"]`)
    // Of a run of tools and its first step, which begin with the same message, the step.
    const place = Array.from(places).at(-1) ?? null
    showPlace(scroller.current, place, place?.querySelector(`mark[data-match="${current.number}"]`) ?? null)
  }, [current, open, whole])

  function stepEntry(step: 1 | -1): void {
    if (scroller.current === null) return
    const focused = focusedEntry(scroller.current)
    const all = entriesIn(scroller.current)
    const next =
      focused === null
        ? entryAt(scroller.current, hereIn(scroller.current))
        : all[all.indexOf(focused) + step]
    showPlace(scroller.current, next ?? null, null)
  }

  function fold(entry: ToolsEntry, isToOpen: boolean): void {
    const indexes = messagesIn(entry).map(({ index }) => index)
    setOpen(
      (set) => new Set([...set].filter((index) => !indexes.includes(index)).concat(isToOpen ? indexes : [])),
    )
  }

  function foldHere(): void {
    const focused = scroller.current === null ? null : focusedEntry(scroller.current)
    const entry = entries.find((each) => focused !== null && messagesIn(each)[0]?.index === indexOf(focused))
    if (focused === null || entry?.kind !== 'tools') return
    focused.focus({ preventScroll: true })
    fold(entry, !isOpen(entry))
  }

  const stepMatch = (step: 1 | -1) => matches.step(step, hereIn(scroller.current))
  const keys: Readonly<Record<string, () => void>> = {
    j: () => stepEntry(1),
    k: () => stepEntry(-1),
    n: () => stepMatch(1),
    p: () => stepMatch(-1),
    N: () => stepMatch(-1),
    o: foldHere,
  }
  // Also while the focus is in the session's head.
  useEffect(() => {
    const session = scroller.current?.closest<HTMLElement>('.session')
    const onKey = (event: KeyboardEvent) => {
      const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined
      if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      act()
    }
    session?.addEventListener('keydown', onKey)
    return () => session?.removeEventListener('keydown', onKey)
  })

  const edge = {
    scroller,
    onAnew: () => void reader.read(hereIn(scroller.current)),
  }
  return (
    <div class="transcript">
      <div
        class="transcript-scroll"
        ref={scroller}
        onFocusIn={({ target }) => {
          const focused = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-index]') : null
          if (focused !== null) onAt(indexOf(focused))
        }}
      >
        <TranscriptEdge
          direction="earlier"
          edge={view.edges.earlier}
          {...edge}
          onMore={() => void reader.more('earlier')}
        />
        <TranscriptFeed
          entries={entries}
          agent={agent}
          textOf={textOf}
          isOpen={isOpen}
          current={current}
          isBusy={view.edges.earlier.kind === 'reading' || view.edges.later.kind === 'reading'}
          onFold={fold}
          onWhole={(index) => add(setWhole, index)}
        />
        <TranscriptEdge
          direction="later"
          edge={view.edges.later}
          {...edge}
          onMore={() => void reader.more('later')}
        />
      </div>
      {phrases.length === 0 ? null : (
        <MatchBar words={matches.words} isNone={counts.length === 0} onStep={stepMatch} />
      )}
    </div>
  )
}

/** The same set where it holds the number, so that nothing is drawn anew. */
function add(
  setNumbers: (change: (numbers: ReadonlySet<number>) => ReadonlySet<number>) => void,
  number: number,
): void {
  setNumbers((numbers) => (numbers.has(number) ? numbers : new Set([...numbers, number])))
}
