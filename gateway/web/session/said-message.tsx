/** One message of a person or an agent. */
import { useMemo } from 'preact/hooks'
import { CopyButton } from '../text/copy-button.tsx'
import { plainText } from '../text/plain-text.ts'
import { sayBytes } from '../text/say-bytes.ts'
import { MessageBlocks } from './message-blocks.tsx'
import type { MessageText } from './message-text.ts'
import { MessageTime } from './message-time.tsx'
import type { SessionMessage } from './transcript-pages.ts'

export interface SaidMessageProps {
  readonly message: SessionMessage
  readonly speaker: string
  readonly text: MessageText
  readonly currentMatch: number | null
  onWhole(index: number): void
}

export function SaidMessage(props: SaidMessageProps) {
  // Hundreds stand in a transcript, and only one or two change at a time.
  return useMemo(() => <Said {...props} />, [props.message, props.speaker, props.text, props.currentMatch])
}

function Said({ message, speaker, text, currentMatch, onWhole }: SaidMessageProps) {
  const { index, role, timestamp } = message
  return (
    <article
      class={`entry said-by-${role}`}
      data-index={index}
      tabIndex={-1}
      aria-label={`${speaker}, message ${index + 1}`}
    >
      <header>
        <h3>{speaker}</h3>
        {timestamp === null ? null : <MessageTime at={timestamp} />}
        <CopyButton label="Copy message" text={() => plainText(message.text)} />
      </header>
      <div class="said">
        <MessageBlocks text={text} current={currentMatch} />
        {text.wholeBytes === null ? null : (
          <ShowWhole
            bytes={text.wholeBytes}
            matches={text.matchCount - text.shownMatches}
            onShow={() => onWhole(index)}
          />
        )}
      </div>
    </article>
  )
}

export function ShowWhole(props: { readonly bytes: number; readonly matches: number; onShow(): void }) {
  const { bytes, matches, onShow } = props
  const held = matches === 0 ? '' : ` – ${matches} more ${matches === 1 ? 'match' : 'matches'} in it`
  return (
    <button type="button" class="show-whole" onClick={onShow}>
      Show all {sayBytes(bytes)}
      {held}
    </button>
  )
}
