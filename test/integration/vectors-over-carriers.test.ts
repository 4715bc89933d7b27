/** The vectors and the specification's exchanges end to end: the same lists as over the pure functions, on every carrier. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHostRegistry } from '../../gateway/hosts/registry.ts'
import { searchSessions, searchStatus } from '../../gateway/search/search-sessions.ts'
import { systemClock } from '../../protocol/clock.ts'
import { parseHostId } from '../../protocol/host-id.ts'
import type { MessageChannel } from '../../protocol/rpc/message-channel.ts'
import { methodTable, parseParams } from '../../protocol/rpc/methods.ts'
import type { ExposureClass } from '../../protocol/session-search/exposure.ts'
import { jsonRpcExchanges } from '../contract/json-rpc-exchanges.ts'
import { type CarrierRig, usableCarriers } from '../helpers/carriers.ts'
import exposureVectors from '../vectors/exposure.json' with { type: 'json' }
import hostIdVectors from '../vectors/host-ids.json' with { type: 'json' }
import requestVectors from '../vectors/requests.json' with { type: 'json' }

const empty = {
  kind: 'results',
  hits: [],
  page: { cursor: null, hasMore: false },
  generation: 1,
  truncated: { candidates: false, snippets: 0, query: false, freshness: false },
  durationMs: 1,
}
const transports = ['ipc', 'runtime', 'relay'] as const

describe.each(await usableCarriers())('over $name', (carrier) => {
  let rig: CarrierRig
  let raw: ReturnType<typeof readRaw>

  beforeAll(async () => {
    rig = await carrier.start(1)
    raw = readRaw(await rig.openRaw())
  })
  afterAll(async () => {
    await raw?.channel.close()
    await rig?.[Symbol.asyncDispose]()
  })

  const slot = () => rig.slots[0]!

  function desk(ids: readonly string[]) {
    const hosts = ids.map((id) => slot().as(id, parseHostId(id)?.kind ?? 'runtime'))
    return { registry: createHostRegistry(hosts), legTimeoutMs: 5_000, clock: systemClock }
  }

  async function search(
    params: Record<string, unknown>,
    ids: readonly string[] = ['local'],
    exposure: ExposureClass = 'ipc',
  ) {
    const request = parseParams(methodTable['aiVault.searchSessions'].gateway, params)
    return await searchSessions(desk(ids), request, {
      exposure,
      signal: new AbortController().signal,
      notify: () => {},
    })
  }

  async function answering(value: unknown): Promise<void> {
    await slot().script({ search: { kind: 'answer', value }, status: { kind: 'answer', value } })
  }

  async function asked(): Promise<Record<string, unknown>[]> {
    return ((await slot().ask('scripted')) as { asked: Record<string, unknown>[] }).asked
  }

  it.each(jsonRpcExchanges)('answers the specification: $name', async ({ send, expect: expected }) => {
    await raw.channel.send(send.replaceAll('\n', ' '))
    // Its answer comes after theirs, and proves that nothing more will come.
    await raw.channel.send('{"jsonrpc":"2.0","method":"subtract","params":[2,1],"id":"after"}')
    expect(await raw.answersBefore('after', expected === null ? 0 : 1)).toEqual(
      expected === null ? [] : [expected],
    )
  })

  it.each(hostIdVectors.cases)(
    '[routing.ids] [routing.unknown-refused] routes $text',
    async ({ text, parsed }) => {
      await answering(empty)
      if (parsed === null) {
        await expect(search({ query: 'q', executionHostId: text })).rejects.toMatchObject({
          code: 'unknown_host',
        })
        expect(await asked()).toEqual([])
      } else {
        await expect(search({ query: 'q', executionHostId: text }, [parsed.id])).resolves.toMatchObject({
          kind: 'results',
        })
        expect(await asked()).toHaveLength(1)
      }
    },
  )

  it.each(requestVectors.cases)(
    '[request.limit] sends the limit in force for $sent',
    async ({ sent, resolved }) => {
      await answering(empty)
      await search({ query: 'q', limit: sent, executionHostId: 'all' })
      expect((await asked()).map(({ limit }) => limit)).toEqual([resolved])
    },
  )

  it('[request.strip-unknown] [request.legacy] [request.debug] [boundary.parse-both] sends on what the contract knows, and refuses what it does not take', async () => {
    await answering(empty)
    await search(requestVectors.request.sent)
    const [request] = await asked()
    expect({ ...request, deadlineMs: undefined }).toEqual({
      ...requestVectors.request.parsed,
      deadlineMs: undefined,
    })
    for (const limit of requestVectors.refused) {
      await expect(search({ query: 'q', limit })).rejects.toMatchObject({ code: 'invalid_input' })
    }
    for (const { sent, ok } of requestVectors.other) {
      const answer = search(sent).then(
        () => true,
        () => false,
      )
      expect(await answer).toBe(ok)
    }
  })

  it.each(transports)(
    '[exposure.ipc] [exposure.relay] [exposure.both-ends] shows %s what the vectors say of hits and status',
    async (transport) => {
      for (const vector of exposureVectors.hits) {
        await answering({ ...empty, hits: [vector.in] })
        const answer = await search({ query: 'q', executionHostId: 'local' }, ['local'], transport)
        expect(answer).toMatchObject({ kind: 'results' })
        expect(answer.kind === 'results' && answer.hits).toStrictEqual([
          { ...vector[transport], executionHostId: 'local' },
        ])
        const remote = await search({ query: 'q', executionHostId: 'ssh:h' }, ['ssh:h'], transport)
        expect(remote.kind === 'results' && remote.hits).toStrictEqual([
          { ...vector.relay, executionHostId: 'ssh:h' },
        ])
      }
      await answering(exposureVectors.status.in)
      const call = { exposure: transport, signal: new AbortController().signal, notify: () => {} }
      expect(await searchStatus(desk(['local']), 'local', call)).toStrictEqual(
        exposureVectors.status[transport],
      )
      expect(await searchStatus(desk(['ssh:h']), 'ssh:h', call)).toStrictEqual(exposureVectors.status.relay)
    },
  )
})

/** A channel with nothing above it. Answers may overtake each other, so those asked for are counted too. */
function readRaw(channel: MessageChannel) {
  let got: { id?: unknown }[] = []
  let heard: () => void = () => {}
  channel.start({
    message: (text) => {
      got.push(JSON.parse(text))
      heard()
    },
    oversize: () => {},
    closed: () => {},
  })
  return {
    channel,
    async answersBefore(id: string, count: number): Promise<unknown[]> {
      const isEnough = () => got.some((answer) => answer.id === id) && got.length > count
      await new Promise<void>((resolve) => {
        heard = () => {
          if (isEnough()) resolve()
        }
        heard()
      })
      const answers = got.filter((answer) => answer.id !== id)
      got = []
      return answers
    },
  }
}
