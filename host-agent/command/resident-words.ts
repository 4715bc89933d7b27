/** What the account's owner asks of the resident agent: whether there is one, and that it end. */
import type { Clock } from '../../protocol/clock.ts'
import { askResident, closed } from '../serve/ask-resident.ts'
import type { AgentBuild } from '../serve/resident-greeting.ts'
import type { ResidentPlace } from '../serve/resident-place.ts'

export interface ResidentStatus {
  readonly pid: number
  readonly version: string
  readonly sinceMs: number
  readonly connections: number
}

/** @returns null where none runs, or none that answers. */
export async function residentStatus(
  place: ResidentPlace | null,
  build: AgentBuild,
  clock: Clock,
): Promise<ResidentStatus | null> {
  const answer = place === null ? 'absent' : await askResident(place.socketPath, 'status', build, clock)
  if (typeof answer === 'string') return null
  answer.socket.destroy()
  const { pid, version, sinceMs, connections } = answer.reply
  return { pid, version, sinceMs, connections }
}

/** @returns a sentence on what became of it. @throws Error where one is there and does not answer. */
export async function stopResident(
  place: ResidentPlace | null,
  build: AgentBuild,
  clock: Clock,
): Promise<string> {
  const answer = place === null ? 'absent' : await askResident(place.socketPath, 'stop', build, clock)
  if (answer === 'absent') return 'No resident agent runs.'
  if (answer === 'unusable')
    throw new Error('A resident agent is there and does not answer. End its process by hand.')
  await closed(answer.socket)
  return `The resident agent (process ${answer.reply.pid}) has ended.`
}
