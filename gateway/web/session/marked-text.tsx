/** Text with its matches marked, and coloured where it is code. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Leaf, MessageText } from './message-text.ts'
import { type CodeToken, segmentsOf } from './text-segments.ts'

interface Marks {
  readonly ranges: MessageText['marks']
  /** The number of the match that is looked at. */
  readonly current: number | null
}

const noMarks: Marks = { ranges: new Map(), current: null }
export const MarksOfMessage = createContext(noMarks)

/** @param tokens which make up the text, where it is code that could be read. */
export function MarkedText({
  leaf,
  tokens,
}: {
  readonly leaf: Leaf
  readonly tokens?: readonly CodeToken[]
}) {
  const { ranges, current } = useContext(MarksOfMessage)
  const segments = segmentsOf(leaf.text, ranges.get(leaf) ?? [], tokens)
  return (
    <>
      {segments.map(({ text, match, kind }, at) => {
        if (match !== null)
          return (
            <mark key={`${at}`} data-match={match} class={match === current ? 'current' : ''}>
              {text}
            </mark>
          )
        if (kind === null) return text
        return (
          <span key={`${at}`} class={`token-${kind}`}>
            {text}
          </span>
        )
      })}
    </>
  )
}
