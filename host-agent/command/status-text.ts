/** What `trawl-agent status` prints: of the index file alone, so that it needs no agent, and which resident ones run. */
import type { Clock } from '../../protocol/clock.ts'
import type { SqlDriver } from '../index/driver/driver.ts'
import type { AgentBuild } from '../serve/resident-greeting.ts'
import { residentStatuses } from './resident-words.ts'
import { sayResident, sayStatus } from './say-status.ts'
import { isSearchDisabled, switchedOff } from './search-switch.ts'
import { readStoredStatus } from './stored-status.ts'

export interface StatusContext {
  readonly dataDir: string
  readonly indexPath: string
  /** Sockets of resident agents. */
  readonly residents: readonly string[]
  readonly build: AgentBuild
  readonly driver: SqlDriver
  readonly clock: Clock
}

/** @returns lines for a person, or one line of JSON; their end included. @throws IndexError for an index that cannot be read. */
export async function statusText(asJson: boolean, context: StatusContext): Promise<string> {
  const { dataDir, indexPath, build, driver, clock } = context
  const isDisabled = isSearchDisabled(dataDir)
  const residents = await residentStatuses(context.residents, build, clock)
  const stored = readStoredStatus(driver, indexPath)
  const status = { ...stored, ...(isDisabled ? { enabled: false } : {}) }
  if (asJson) return `${JSON.stringify({ schemaVersion: 1, ...status, residents })}\n`
  let first = stored.enabled ? sayStatus(stored, clock.now()) : 'No index yet. Make one: trawl-agent index'
  if (isDisabled) first = switchedOff
  return [first, ...residents.map((each) => sayResident(each, clock.now())), ''].join('\n')
}
