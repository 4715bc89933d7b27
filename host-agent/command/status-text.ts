/** What `trawl-agent status` prints: of the index file alone, so that it needs no agent, and whether a resident one runs. */
import type { Clock } from '../../protocol/clock.ts'
import type { SqlDriver } from '../index/driver/driver.ts'
import type { AgentBuild } from '../serve/resident-greeting.ts'
import type { ResidentPlace } from '../serve/resident-place.ts'
import { residentStatus } from './resident-words.ts'
import { sayResident, sayStatus } from './say-status.ts'
import { isSearchDisabled, switchedOff } from './search-switch.ts'
import { readStoredStatus } from './stored-status.ts'

export interface StatusContext {
  readonly dataDir: string
  readonly indexPath: string
  readonly place: ResidentPlace | null
  readonly build: AgentBuild
  readonly driver: SqlDriver
  readonly clock: Clock
}

/** @returns lines for a person, or one line of JSON; their end included. @throws IndexError for an index that cannot be read. */
export async function statusText(asJson: boolean, context: StatusContext): Promise<string> {
  const { dataDir, indexPath, place, build, driver, clock } = context
  const isDisabled = isSearchDisabled(dataDir)
  const resident = await residentStatus(place, build, clock)
  const stored = readStoredStatus(driver, indexPath)
  const status = { ...stored, ...(isDisabled ? { enabled: false } : {}) }
  if (asJson) return `${JSON.stringify({ schemaVersion: 1, ...status, resident })}\n`
  let first = stored.enabled ? sayStatus(stored, clock.now()) : 'No index yet. Make one: trawl-agent index'
  if (isDisabled) first = switchedOff
  return `${first}\n${resident === null ? '' : `${sayResident(resident, clock.now())}\n`}`
}
