/** The contract's vectors over the pure functions of protocol/. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseHostId, parseSearchScope, parseStatusScope } from '../../protocol/host-id.ts'
import { redactForTransport, redactStatusForTransport } from '../../protocol/session-search/exposure.ts'
import { hitSchema } from '../../protocol/session-search/hit.ts'
import { decodeMergedCursor, encodeMergedCursor } from '../../protocol/session-search/merged-cursor.ts'
import { resolveLimit, searchRequestSchema } from '../../protocol/session-search/request.ts'
import { absentServiceStatus, searchStatusSchema } from '../../protocol/session-search/status.ts'
import exposureVectors from '../vectors/exposure.json' with { type: 'json' }
import hostIdVectors from '../vectors/host-ids.json' with { type: 'json' }
import mergeVectors from '../vectors/merge.json' with { type: 'json' }
import requestVectors from '../vectors/requests.json' with { type: 'json' }

const transports = ['ipc', 'runtime', 'relay'] as const

describe('parseHostId', () => {
  it.each(hostIdVectors.cases)('[routing.ids] reads $text as the vectors say', ({ text, parsed }) => {
    expect(parseHostId(text)).toEqual(parsed)
  })
})

describe('parseSearchScope and parseStatusScope', () => {
  it.each(hostIdVectors.scopes)(
    '[routing.status-never-all] [routing.omitted-local] read $text',
    ({ text, search, status }) => {
      const scope = parseSearchScope(text)
      expect(scope === null || scope === 'all' ? scope : scope.id).toBe(search)
      expect(parseStatusScope(text)?.id ?? null).toBe(status)
    },
  )
})

describe('searchRequestSchema', () => {
  it.each(requestVectors.cases)('[request.limit] resolves $sent to $resolved', ({ sent, resolved }) => {
    expect(resolveLimit(sent)).toBe(resolved)
    expect(searchRequestSchema.parse({ query: 'q', limit: sent }).limit).toBe(resolved)
  })

  it.each(requestVectors.refused)('[request.limit] refuses the limit %j', (sent) => {
    expect(searchRequestSchema.safeParse({ query: 'q', limit: sent }).success).toBe(false)
  })

  it('[request.legacy] [request.strip-unknown] [request.debug] strips legacy and unknown fields and adds nothing', () => {
    const { sent, parsed } = requestVectors.request
    expect(searchRequestSchema.parse(sent)).toEqual(parsed)
  })

  it.each(requestVectors.other)(
    '[request.filters] [request.query] accepts as the vectors say: case %#',
    ({ sent, ok }) => {
      expect(searchRequestSchema.safeParse(sent).success).toBe(ok)
    },
  )

  it('[request.query] [request.scope] [request.freshness] takes a query of any length, and only the named words', () => {
    expect(searchRequestSchema.safeParse({ query: 'x'.repeat(10_240) }).success).toBe(true)
    for (const scope of ['conversation', 'all'])
      expect(searchRequestSchema.parse({ query: 'q', scope }).scope).toBe(scope)
    expect(searchRequestSchema.safeParse({ query: 'q', freshness: 'now' }).success).toBe(false)
  })
})

describe('redactForTransport', () => {
  const cases = exposureVectors.hits.flatMap((vector) =>
    transports.map((transport) => ({ transport, vector, name: vector.name })),
  )

  it.each(cases)(
    '[exposure.ipc] [exposure.relay] [exposure.metadata-visible] [exposure.codex-home-omitted] [exposure.pure] $transport: $name',
    ({ transport, vector }) => {
      const hit = hitSchema.parse(vector.in)
      const before = structuredClone(hit)
      deepFreeze(hit)
      expect(redactForTransport(hit, transport)).toStrictEqual(vector[transport])
      expect(hit).toStrictEqual(before)
    },
  )
})

describe('redactStatusForTransport', () => {
  it.each(transports)('[exposure.count-kept] [status.fields] [exposure.relay] %s', (transport) => {
    const status = searchStatusSchema.parse(exposureVectors.status.in)
    deepFreeze(status)
    expect(redactStatusForTransport(status, transport)).toStrictEqual(exposureVectors.status[transport])
  })

  it('[status.absent-sentinel] names an absent service', () => {
    expect(absentServiceStatus).toEqual(exposureVectors.absentService)
  })
})

describe('decodeMergedCursor', () => {
  it.each(mergeVectors.cursors.cases)(
    '[merge.cursor-map] [merge.malformed-no-contact] reads $text',
    ({ text, hosts }) => {
      const decoded = decodeMergedCursor(text)
      expect(decoded === null ? null : Object.fromEntries(decoded)).toEqual(hosts)
    },
  )

  it('[merge.malformed-no-contact] takes any text for null or a map of host ids, and never throws', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json().map((json) => Buffer.from(json).toString('base64url')),
      fc
        .dictionary(fc.constantFrom('local', 'ssh:h', 'runtime:', 'all', '__proto__', 'ssh:%'), fc.anything())
        .map((map) => Buffer.from(JSON.stringify(map) ?? '').toString('base64url')),
    )
    fc.assert(
      fc.property(anyText, (text) => {
        for (const [hostId, cursor] of decodeMergedCursor(text) ?? []) {
          expect(parseHostId(hostId)?.id).toBe(hostId)
          expect(typeof cursor).toBe('string')
        }
      }),
      { numRuns: 500 },
    )
  })

  it('gives back what encodeMergedCursor made, and refuses more than 256 KiB', () => {
    const cursors = new Map([
      ['local', 'a'],
      ['runtime:%E6%B8%AC', 'ü'],
    ])
    expect(decodeMergedCursor(encodeMergedCursor(cursors) ?? '')).toEqual(cursors)
    expect(decodeMergedCursor(encodeMergedCursor(new Map([['local', 'x'.repeat(262_144)]])) ?? '')).toBeNull()
    expect(encodeMergedCursor(new Map())).toBeNull()
  })
})

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  Object.freeze(value)
  for (const child of Object.values(value)) deepFreeze(child)
}
