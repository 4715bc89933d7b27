/** From match to match, reading on where those of what has been read are through. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type MatchCount, type MatchPlace, sayMatches, stepFrom } from './match-places.ts'
import type { TranscriptReader, TranscriptView } from './open-transcript.ts'

const noneBeyond = { later: 'No further match', earlier: 'No match before this' } as const

export interface Matches {
  readonly current: MatchPlace | null
  /** `match 1 of 4`, or what the last step could not do. */
  readonly words: string
  /** @param from where there is no current match: the number of the message that is read. */
  step(step: 1 | -1, from: number): void
  goTo(match: MatchPlace | null): void
}

export function useMatches(
  reader: TranscriptReader,
  { edges }: Extract<TranscriptView, { kind: 'shown' }>,
  counts: readonly MatchCount[],
): Matches {
  const [current, setCurrent] = useState<MatchPlace | null>(null)
  const [note, setNote] = useState('')
  const looking = useRef<{ readonly step: 1 | -1; readonly from: MatchPlace | number } | null>(null)
  const isWhole = edges.earlier.kind === 'end' && edges.later.kind === 'end'

  function goTo(match: MatchPlace | null): void {
    setCurrent(match)
    setNote('')
  }

  useEffect(() => {
    if (looking.current === null) return
    const { step, from } = looking.current
    const direction = step > 0 ? 'later' : 'earlier'
    const edge = edges[direction].kind
    if (edge === 'reading') return
    const next = stepFrom(counts, from, step)
    if (next === null && edge === 'more') {
      void reader.more(direction)
      return
    }
    looking.current = null
    if (next !== null) goTo(next)
    else setNote(edge === 'end' ? noneBeyond[direction] : '')
  }, [edges, counts])

  return {
    current,
    words: note === '' ? sayMatches(counts, current, isWhole) : note,
    goTo,
    step(step, from) {
      const start = current ?? from
      const next = stepFrom(counts, start, step)
      const direction = step > 0 ? 'later' : 'earlier'
      if (next !== null) goTo(next)
      else if (edges[direction].kind === 'end') setNote(noneBeyond[direction])
      else {
        setNote('Looking further…')
        looking.current = { step, from: start }
        void reader.more(direction)
      }
    },
  }
}
