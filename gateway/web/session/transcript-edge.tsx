/** Where what has been read ends: more is read when this comes near, or said to be no more, or why it could not be read. */
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Edge } from './open-transcript.ts'
import type { Direction } from './transcript-pages.ts'
import { TroubleNote } from './trouble-note.tsx'

/** How near, in CSS pixels: about a screen ahead of the reader. */
const aheadPixels = 800

const words = {
  earlier: {
    more: 'Earlier messages',
    reading: 'Reading earlier messages…',
    end: 'Beginning of the session',
  },
  later: { more: 'Later messages', reading: 'Reading later messages…', end: 'End of the session' },
} as const satisfies Record<Direction, Record<'more' | 'reading' | 'end', string>>

export interface TranscriptEdgeProps {
  readonly direction: Direction
  readonly edge: Edge
  readonly scroller: RefObject<HTMLElement | null>
  onMore(): void
  onAnew(): void
}

export function TranscriptEdge({ direction, edge, scroller, onMore, onAnew }: TranscriptEdgeProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (edge.kind !== 'more' || place.current === null) return
    const watch = new IntersectionObserver(
      (seen) => {
        if (seen.some(({ isIntersecting }) => isIntersecting)) onMore()
      },
      { root: scroller.current, rootMargin: `${aheadPixels}px 0px` },
    )
    watch.observe(place.current)
    return () => watch.disconnect()
  }, [edge, scroller])
  return (
    <div ref={place} class="transcript-edge">
      {edge.kind === 'trouble' ? (
        <TroubleNote trouble={edge.trouble} onAgain={edge.trouble.remedy === 'anew' ? onAnew : onMore} />
      ) : edge.kind === 'more' ? (
        <button type="button" class="plain-button" onClick={onMore}>
          {words[direction].more}
        </button>
      ) : (
        <p>{words[direction][edge.kind]}</p>
      )}
      {edge.kind === 'end' && direction === 'later' ? (
        <button type="button" class="plain-button" onClick={onMore}>
          Look for newer messages
        </button>
      ) : null}
    </div>
  )
}
