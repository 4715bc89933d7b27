/** What the session is and where it was worked, and what can be taken away from it. */
import type { Hit } from '../../client/browser.ts'
import { CopyButton } from '../text/copy-button.tsx'
import { plainLine } from '../text/plain-text.ts'
import { RelativeTime } from '../text/relative-time.tsx'
import type { SessionName } from './open-transcript.ts'
import type { SessionFacts } from './transcript-pages.ts'

export interface SessionHeadProps {
  readonly name: SessionName
  readonly hit: Hit | null
  /** Null until the session has answered. */
  readonly session: SessionFacts | null
  onClose(): void
}

export function SessionHead({ name, hit, session, onClose }: SessionHeadProps) {
  const title = session?.title ?? hit?.title ?? null
  const branch = session?.branch ?? hit?.branch
  const cwd = session?.cwd ?? hit?.cwd
  const updatedAt = session?.updatedAt ?? hit?.updatedAt
  const resumeCommand = session?.resumeCommand ?? hit?.resumeCommand
  const places = [name.executionHostId, name.agent, cwd, branch]
  return (
    <header class="session-head">
      <button
        type="button"
        class="session-close"
        aria-label="Close the session"
        title="Close (Esc)"
        onClick={onClose}
      >
        <span aria-hidden="true" />
      </button>
      <h2 id="session-title" tabIndex={-1} dir="auto">
        {title === null ? 'Session' : plainLine(title) || '(no title)'}
      </h2>
      <p class="session-place">
        {places.map((place, at) =>
          place === null || place === undefined || place === '' ? null : (
            <bdi key={`${at}`}>{plainLine(place)}</bdi>
          ),
        )}
        {updatedAt === null || updatedAt === undefined ? null : <RelativeTime at={updatedAt} />}
      </p>
      <p class="session-actions">
        <CopyButton label="Copy session id" text={name.sessionId} />
        {resumeCommand === undefined ? null : (
          // One line of it, whatever it holds: a line end would run it where it is pasted.
          <CopyButton label="Copy resume command" text={plainLine(resumeCommand)} />
        )}
      </p>
    </header>
  )
}
