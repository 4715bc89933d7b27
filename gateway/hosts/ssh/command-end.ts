/** What it means that the command on an SSH host has ended, in the words of wire.md §4. */
import type { TrawlError } from '../../../protocol/rpc/errors.ts'
import type { ExecEnd } from './exec-stream.ts'
import { unreachable } from './ssh-errors.ts'

const shownStderrUnits = 500

/** @returns null for a plain end. @param stderr the end of what the command wrote there. */
export function endOfCommand(
  { exitCode, exitSignal }: ExecEnd,
  place: string,
  stderr: string,
): TrawlError | null {
  if (exitCode === 0) return null
  const said = stderr.trim() === '' ? '' : ` It wrote: ${stderr.trim().slice(-shownStderrUnits)}`
  if (exitCode === 127 || exitCode === 126) {
    const what = exitCode === 127 ? 'was not found' : 'cannot be run'
    const advice = 'Install trawl-agent there, or set ssh.agentCommand to its full path.'
    return unreachable('agent-missing', `The agent command ${what} on ${place}. ${advice}${said}`)
  }
  const how =
    exitCode === null ? `was killed (${exitSignal ?? 'no signal named'})` : `ended with status ${exitCode}`
  return unreachable('crashed', `The agent on ${place} ${how}.${said}`)
}
