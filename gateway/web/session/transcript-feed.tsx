/** The entries of a transcript, one under the other, with what parts them: days, and the beginning of a subagent. */

import type { MatchPlace } from './match-places.ts'
import type { MessageText } from './message-text.ts'
import { sayDay } from './message-time.tsx'
import { SaidMessage } from './said-message.tsx'
import { ToolRun } from './tool-run.tsx'
import { type Entry, messagesIn, type ToolsEntry } from './transcript-entries.ts'
import type { SessionMessage } from './transcript-pages.ts'

export interface TranscriptFeedProps {
  readonly entries: readonly Entry[]
  readonly agent: string
  readonly current: MatchPlace | null
  readonly isBusy: boolean
  readonly textOf: (message: SessionMessage) => MessageText
  readonly isOpen: (entry: ToolsEntry) => boolean
  onFold(entry: ToolsEntry, isOpen: boolean): void
  onWhole(index: number): void
}

export function TranscriptFeed(props: TranscriptFeedProps) {
  const { entries, isBusy } = props
  let lastDay: string | null = null
  return (
    <div role="feed" aria-label="Messages" aria-busy={isBusy} class="feed">
      {entries.map((entry) => {
        const [first] = messagesIn(entry)
        const day = sayDay(first?.timestamp ?? null)
        const isNewDay = day !== null && day !== lastDay
        if (isNewDay) lastDay = day
        return (
          <div key={first?.index} class="entry-place">
            {entry.subagent === null ? null : <p class="parting">Subagent {entry.subagent}</p>}
            {isNewDay ? <p class="parting">{day}</p> : null}
            <OneEntry entry={entry} {...props} />
          </div>
        )
      })}
    </div>
  )
}

function OneEntry({
  entry,
  agent,
  current,
  textOf,
  isOpen,
  onFold,
  onWhole,
}: TranscriptFeedProps & { entry: Entry }) {
  if (entry.kind === 'tools') {
    const isHere = messagesIn(entry).some(({ index }) => index === current?.index)
    return (
      <ToolRun
        entry={entry}
        isOpen={isOpen(entry)}
        textOf={textOf}
        current={isHere ? current : null}
        onFold={onFold}
        onWhole={onWhole}
      />
    )
  }
  const { message } = entry
  return (
    <SaidMessage
      message={message}
      speaker={message.role === 'user' ? 'you' : agent}
      text={textOf(message)}
      currentMatch={current?.index === message.index ? current.number : null}
      onWhole={onWhole}
    />
  )
}
