/**
 * Whether this machine may be searched: the account's owner says so with `trawl-agent disable` and `enable`. The word
 * stands as a file in the data directory, so that every agent of the account goes by it, running or not.
 */
import { statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../protocol/clock.ts'
import {
  createDisabledService,
  createNotReadyService,
  type SessionSearchService,
} from '../search/search-registry.ts'
import { writePrivateFile } from '../serve/private-file.ts'
import type { OpenAgent } from './open-agent.ts'

/** How soon a running agent stops, or begins again, to index; what it answers changes at once. */
const lookEveryMs = 1_000

export const switchedOff = 'Searching is switched off on this account. Switch it on: trawl-agent enable'

const switchFile = (dataDir: string): string => join(dataDir, 'disabled')

/** A data directory that cannot be looked into counts as disabled: nothing is shown on a guess. */
export function isSearchDisabled(dataDir: string): boolean {
  try {
    return statSync(switchFile(dataDir), { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}

export async function disableSearch(dataDir: string, nowMs: number): Promise<void> {
  await writePrivateFile(switchFile(dataDir), `since ${new Date(nowMs).toISOString()}\n`)
}

export async function enableSearch(dataDir: string): Promise<void> {
  await rm(switchFile(dataDir), { force: true })
}

export interface SwitchedAgentOptions {
  readonly dataDir: string
  readonly clock: Clock
  /** Starts an indexer and opens the index. */
  open(): OpenAgent
}

export interface SwitchedAgent extends AsyncDisposable {
  readonly sessionSearch: SessionSearchService
}

/**
 * An agent that indexes and answers while it may, and answers `unavailable/disabled` while it may not.
 * @throws what `open` throws at the start.
 */
export function openSwitchedAgent({ dataDir, clock, open }: SwitchedAgentOptions): SwitchedAgent {
  const disabled = createDisabledService()
  let agent: OpenAgent | null = isSearchDisabled(dataDir) ? null : open()
  let isClosing = false
  let turning: Promise<void> = Promise.resolve()
  let stopLooking = () => {}

  /** One turn after another: an index is closed before it is opened again. */
  function follow(): Promise<void> {
    turning = turning.then(async () => {
      const mayRun = !isClosing && !isSearchDisabled(dataDir)
      if (mayRun) agent ??= openAgain()
      if (mayRun || agent === null) return
      const ending = agent
      agent = null
      await ending[Symbol.asyncDispose]()
    })
    return turning
  }

  /** What went wrong since the start, a configuration that cannot be read, may be put right before the next look. */
  function openAgain(): OpenAgent | null {
    try {
      return open()
    } catch {
      return null
    }
  }

  function lookAgain(): void {
    stopLooking = clock.after(lookEveryMs, () => {
      void follow()
      lookAgain()
    })
  }

  function service(): SessionSearchService {
    if (isSearchDisabled(dataDir)) return disabled
    return agent?.sessionSearch ?? createNotReadyService()
  }

  lookAgain()
  return {
    sessionSearch: {
      async search(request, call) {
        await follow()
        return await service().search(request, call)
      },
      readSession: (request) => service().readSession(request),
      async status() {
        await follow()
        return await service().status()
      },
    },
    async [Symbol.asyncDispose]() {
      isClosing = true
      stopLooking()
      await follow()
    },
  }
}
