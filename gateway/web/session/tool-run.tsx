/** What an agent's tools did between two messages: folded to a line, opened to arguments and results. */
import { useMemo } from 'preact/hooks'
import { plainLine } from '../text/plain-text.ts'
import { MessageBlocks } from './message-blocks.tsx'
import type { MessageText } from './message-text.ts'
import { ShowWhole } from './said-message.tsx'
import { namesOf, type ToolStep, type ToolsEntry } from './transcript-entries.ts'
import type { SessionMessage } from './transcript-pages.ts'

const maxSummaryUnits = 200

export interface ToolRunProps {
  readonly entry: ToolsEntry
  readonly isOpen: boolean
  readonly textOf: (message: SessionMessage) => MessageText
  /** The message and the number of the match that is looked at, where it is one of these. */
  readonly current: { readonly index: number; readonly number: number } | null
  onFold(entry: ToolsEntry, isOpen: boolean): void
  onWhole(index: number): void
}

export function ToolRun(props: ToolRunProps) {
  const { entry, isOpen, textOf, current } = props
  return useMemo(() => <Run {...props} />, [entry, isOpen, textOf, current])
}

function Run({ entry, isOpen, textOf, current, onFold, onWhole }: ToolRunProps) {
  const [first] = entry.steps
  if (first === undefined) return null
  const matches = entry.steps.reduce((sum, { message }) => sum + textOf(message).matchCount, 0)
  return (
    <article
      class="entry tool-run"
      data-index={first.message.index}
      tabIndex={-1}
      aria-label={summaryOf(entry)}
    >
      <h3>
        <button type="button" class="fold" aria-expanded={isOpen} onClick={() => onFold(entry, !isOpen)}>
          <span class="fold-sign" aria-hidden="true" />
          <Summary entry={entry} />
          {matches === 0 ? null : (
            <span class="fold-matches">
              {matches} {matches === 1 ? 'match' : 'matches'}
            </span>
          )}
        </button>
      </h3>
      {isOpen ? (
        <ol class="tool-steps">
          {entry.steps.map((step) => (
            <Step
              key={step.message.index}
              step={step}
              text={textOf(step.message)}
              currentMatch={current?.index === step.message.index ? current.number : null}
              onWhole={onWhole}
            />
          ))}
        </ol>
      ) : null}
    </article>
  )
}

function Summary({ entry }: { readonly entry: ToolsEntry }) {
  const calls = entry.steps.flatMap(({ call }) => (call === null ? [] : [call]))
  const [only] = calls
  if (only !== undefined && calls.length === 1)
    return (
      <>
        <b>{only.name}</b>{' '}
        <code class="fold-words">{plainLine(only.argument.slice(0, maxSummaryUnits))}</code>
      </>
    )
  return <span class="fold-words">{summaryOf(entry)}</span>
}

/** `Bash`, `3 tool calls: Bash ×2, Edit`, `2 tool results`. */
function summaryOf(entry: ToolsEntry): string {
  const calls = entry.steps.filter(({ call }) => call !== null).length
  const count = calls === 0 ? entry.steps.length : calls
  const what = calls === 0 ? 'tool result' : 'tool call'
  const names = namesOf(entry)
  if (count === 1) return names === '' ? 'Tool result' : `Tool call: ${names}`
  return `${count} ${what}s${names === '' ? '' : `: ${names}`}`
}

function Step(props: {
  readonly step: ToolStep
  readonly text: MessageText
  readonly currentMatch: number | null
  onWhole(index: number): void
}) {
  const { step, text, currentMatch, onWhole } = props
  const { index } = step.message
  return (
    <li class={step.call === null ? 'tool-result' : 'tool-call'} data-index={index} tabIndex={-1}>
      <span class="tool-kind">{step.call === null ? 'result' : 'call'}</span>
      <div class="tool-text">
        <MessageBlocks text={text} current={currentMatch} />
        {text.wholeBytes === null ? null : (
          <ShowWhole
            bytes={text.wholeBytes}
            matches={text.matchCount - text.shownMatches}
            onShow={() => onWhole(index)}
          />
        )}
      </div>
    </li>
  )
}
