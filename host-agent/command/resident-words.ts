/** What the account's owner asks of its resident agents: which there are, and that they end. */
import { rm } from 'node:fs/promises'
import type { Clock } from '../../protocol/clock.ts'
import { askResident, closed } from '../serve/ask-resident.ts'
import type { AgentBuild } from '../serve/resident-greeting.ts'

export interface ResidentStatus {
  readonly pid: number
  readonly version: string
  readonly sinceMs: number
  readonly connections: number
}

/** @returns those that answer. */
export async function residentStatuses(
  sockets: readonly string[],
  build: AgentBuild,
  clock: Clock,
): Promise<ResidentStatus[]> {
  const statuses: ResidentStatus[] = []
  for (const socket of sockets) {
    const answer = await askResident(socket, 'status', build, clock)
    if (typeof answer === 'string') continue
    answer.socket.destroy()
    const { pid, version, sinceMs, connections } = answer.reply
    statuses.push({ pid, version, sinceMs, connections })
  }
  return statuses
}

/**
 * Takes away what a killed one has left, too.
 * @returns a sentence on what became of each, in lines. @throws Error where one is there and does not answer.
 */
export async function stopResidents(
  sockets: readonly string[],
  build: AgentBuild,
  clock: Clock,
): Promise<string> {
  const said: string[] = []
  let isOneMute = false
  for (const socket of sockets) {
    const answer = await askResident(socket, 'stop', build, clock)
    if (answer === 'absent') await rm(socket, { force: true })
    else if (answer === 'unusable') isOneMute = true
    else {
      await closed(answer.socket)
      said.push(`The resident agent (process ${answer.reply.pid}) has ended.`)
    }
  }
  if (isOneMute) throw new Error('A resident agent is there and does not answer. End its process by hand.')
  return said.length === 0 ? 'No resident agent runs.' : said.join('\n')
}
