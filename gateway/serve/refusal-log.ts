/**
 * Logs requests that were refused, and does not let strangers fill the log: of each kind and address the first is
 * written, and at the end of the minute how many more there were.
 */
import type { Logger } from 'pino'
import type { Clock } from '../../protocol/clock.ts'
import { addressGroup } from '../access/address-group.ts'

const minuteMs = 60_000
/** Beyond so many lines the rest of the minute is counted by reason alone. */
const maxLinesPerMinute = 100

export interface RefusalLog extends Disposable {
  /** @param reason a fixed word. */
  note(reason: string, address: string): void
}

interface Refused {
  readonly reason: string
  readonly address: string
  /** After the first. */
  times: number
}

/** Disposing writes what has been counted. */
export function createRefusalLog({ log, clock }: { log: Logger; clock: Clock }): RefusalLog {
  const refused = new Map<string, Refused>()
  let stopTimer = () => {}

  function tellRest(): void {
    stopTimer()
    for (const { reason, address, times } of refused.values())
      if (times > 0) log.warn({ reason, address, times }, 'more requests were refused')
    refused.clear()
  }

  return {
    note(reason, from) {
      if (refused.size === 0) stopTimer = clock.after(minuteMs, tellRest)
      const group = addressGroup(from)
      const address =
        refused.size < maxLinesPerMinute || refused.has(`${reason} ${group}`) ? group : 'further ones'
      const key = `${reason} ${address}`
      const known = refused.get(key)
      if (known === undefined) {
        refused.set(key, { reason, address, times: 0 })
        log.warn({ reason, address }, 'a request was refused')
      } else known.times += 1
    },
    [Symbol.dispose]: tellRest,
  }
}
