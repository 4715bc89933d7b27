/** All that there is to ask of one host, rightly and wrongly, over whatever carries it; for those who read every byte of the answers. */
import { join } from 'node:path'
import { loadSqlDriver } from '../../host-agent/index/driver/load-driver.ts'

interface Answer {
  readonly id: number | null
  readonly result?: {
    readonly kind?: string
    readonly hits?: { agent: string; sessionId: string }[]
    readonly page?: { cursor: string | null; previousCursor?: string | null }
    readonly degradedRoots?: object[]
  }
  readonly error?: { readonly data?: { readonly code?: string } }
}

/** Sends one message as it is, and gives the answer to it. */
export type Ask = (text: string) => Promise<Answer>

export interface Asker {
  /** Everything that can be said to a host that works. @throws Error where it does not answer as it should. */
  askWorking(): Promise<void>
  /** What is asked of one where nothing works inside. */
  askBroken(): Promise<void>
  /** What the answers were, in short: codes and kinds, each once. */
  seen(): string[]
}

export interface AskerOptions {
  /** For a gateway; an agent is asked about itself. */
  readonly executionHostId?: string
  /** On the host, all of which hold "plain words about timer". */
  readonly sessionCount: number
  /** A path of that machine, tried as the id of a session. */
  readonly pathToTry: string
}

/** What a request may claim and nobody may believe. */
const claims = { exposure: 'ipc', transport: 'ipc', clientKind: 'desktop', local: true }

export function createAsker(ask: Ask, options: AskerOptions): Asker {
  const { executionHostId, sessionCount, pathToTry } = options
  const at = executionHostId === undefined ? {} : { executionHostId }
  const kinds = new Set<string>()
  let id = 1

  const call = async (method: string, params: object) => {
    const sent = Array.isArray(params) ? params : { ...at, ...params }
    const answer = await ask(JSON.stringify({ jsonrpc: '2.0', id: id++, method, params: sent }))
    kinds.add(answer.error?.data?.code ?? answer.result?.kind ?? (answer.error ? 'error' : 'value'))
    return answer
  }
  const search = async (params: object) => await call('aiVault.searchSessions', params)

  async function pageThrough(): Promise<string[]> {
    const cursors: string[] = []
    for (const scope of ['all', 'conversation'])
      for (const sort of ['relevance', 'newest']) {
        let cursor: string | null | undefined
        do {
          const page = { limit: 2, debug: true, ...(cursor ? { cursor } : {}), ...claims }
          const { result } = await search({ query: 'plain timer', scope, filters: { sort }, ...page })
          cursor = result?.page?.cursor
          if (cursor) cursors.push(cursor)
        } while (cursor)
      }
    expectEqual(cursors.length, 4 * (Math.ceil(sessionCount / 2) - 1), 'cursors')
    return cursors
  }

  return {
    async askWorking() {
      await search({ query: 'timer', freshness: 'wait-until-current', ...claims })
      const [cursor] = await pageThrough()
      await search({ query: 'tmier', debug: true })
      await search({ query: 'agent:codex', filters: { scopePaths: ['/work/app'] } })
      const all = await search({ query: 'timer', limit: 100 })
      expectEqual(all.result?.hits?.length, sessionCount, 'hits')
      await call('host.describe', claims)
      for (const hit of all.result?.hits ?? []) {
        const session = { agent: hit.agent, sessionId: hit.sessionId, limit: 1 }
        const { result } = await call('aiVault.readSession', { ...session, ...claims })
        await call('aiVault.readSession', { ...session, cursor: result?.page?.cursor ?? undefined })
        await call('aiVault.readSession', { ...session, around: 1 })
      }
      const status = await call('aiVault.searchStatus', claims)
      expectEqual(status.result?.degradedRoots?.length, 1, 'degraded roots')

      await search({ query: 7, filters: { sort: 'oldest', scopePaths: [''] } })
      await search({ query: 'timer', cursor: 'nonsense' })
      await search({ query: 'another', cursor })
      await search({ query: 'timer', executionHostId: 'ssh:elsewhere' })
      await call('aiVault.searchStatus', { executionHostId: 'ssh:elsewhere' })
      await call('host.describe', { executionHostId: 'ssh:elsewhere' })
      await call('aiVault.readSession', { agent: 'claude', sessionId: pathToTry })
      await call('aiVault.readSession', { agent: 'claude', sessionId: 's0', cursor: 'nonsense' })
      await call('no.such', {})
      await call('aiVault.searchSessions', [1])
      for (const text of ['{"jsonrpc":"2.0","id":', '{"jsonrpc":"2.0"}', '[]', '1'])
        if ((await ask(text)).error === undefined) throw new Error(`${text} is no error`)
    },
    async askBroken() {
      await search({ query: 'timer' })
      await search({ query: 'timer', freshness: 'wait-until-current' })
      await call('aiVault.readSession', { agent: 'claude', sessionId: 's0' })
      await call('aiVault.searchStatus', {})
    },
    seen: () => [...kinds].sort(),
  }
}

/** Everything that is asked of an agent's index fails from here on; the answers must not say how. */
export function breakIndex(dataDir: string): void {
  using db = loadSqlDriver().open(join(dataDir, 'index.sqlite'), { readOnly: false })
  db.exec('ALTER TABLE files RENAME TO elsewhere')
}

function expectEqual(is: unknown, expected: unknown, what: string): void {
  if (is !== expected) throw new Error(`${String(is)} ${what}, not ${String(expected)}`)
}
