/**
 * What may leave a machine, by the class of the authenticated connection it leaves on.
 * Both ends apply these functions; neither changes its input.
 */
import type { Hit } from './hit.ts'
import type { ReadSessionResponse } from './read-session.ts'
import type { SearchStatus } from './status.ts'

/** `ipc`: same machine, Unix socket or child stdio. `runtime`: same machine, local token. `relay`: everything else. */
export type ExposureClass = 'ipc' | 'runtime' | 'relay'

/** All that a relay learns about a degraded root. */
export const degradedRootSentence = 'Source root could not be verified.'

/** The contract's exposure table for one hit. */
export function redactForTransport(hit: Hit, transport: ExposureClass): Hit {
  const { resumeCommand, source, ...rest } = hit
  if (transport === 'relay') return { ...rest, source: { presence: source.presence } }
  const mayResume = resumeCommand !== undefined && source.presence === 'present'
  return { ...rest, source: { ...source }, ...(mayResume ? { resumeCommand } : {}) }
}

/** A transcript's text is for every caller; the command that goes on with it is not. */
export function redactPageForTransport(
  page: ReadSessionResponse,
  transport: ExposureClass,
): ReadSessionResponse {
  if (transport !== 'relay' || page.kind !== 'messages') return page
  const { resumeCommand: _kept, ...session } = page.session
  return { ...page, session }
}

/**
 * The contract's exposure rule for status: a relay learns how many roots are degraded, and neither their names nor the
 * causes. The same goes for files that were not read, and for why changes have to be looked for.
 */
export function redactStatusForTransport(status: SearchStatus, transport: ExposureClass): SearchStatus {
  if (transport !== 'relay')
    return { ...status, degradedRoots: status.degradedRoots.map((root) => ({ ...root })) }
  const { unreadFiles, watching, ...rest } = status
  return {
    ...rest,
    degradedRoots: status.degradedRoots.map(() => ({ reason: degradedRootSentence })),
    ...(unreadFiles === undefined
      ? {}
      : { unreadFiles: unreadFiles.map(({ agent, lines }) => ({ agent, lines })) }),
    ...(watching === undefined ? {} : { watching: { mode: watching.mode } }),
  }
}
