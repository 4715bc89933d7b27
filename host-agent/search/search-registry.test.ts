import { describe, expect, it } from 'vitest'
import { searchRequestSchema } from '../../protocol/session-search/request.ts'
import { searchStatusSchema } from '../../protocol/session-search/status.ts'
import {
  createDisabledService,
  createNotReadyService,
  createSessionSearchRegistry,
} from './search-registry.ts'

const request = searchRequestSchema.parse({ query: 'needle' })
const call = { signal: new AbortController().signal }

describe('createSessionSearchRegistry', () => {
  it('[availability.no-service][availability.value] answers for an absent service with a value', async () => {
    expect(await createSessionSearchRegistry().search(request, call)).toEqual({
      kind: 'unavailable',
      reason: 'no-service',
    })
  })

  it('[status.absent-sentinel] claims nothing for an absent service', () => {
    expect(createSessionSearchRegistry().status()).toEqual({
      enabled: false,
      phase: 'idle',
      filesIndexed: 0,
      filesDue: 0,
      filesFailed: 0,
      degradedRoots: [],
      lastReconcileAt: null,
      lastSweepCompletedAt: null,
      generation: 0,
    })
  })

  it('[availability.no-service] lets a registered service say disabled or not ready', async () => {
    const registry = createSessionSearchRegistry()
    registry.set(createDisabledService())
    expect(await registry.search(request, call)).toEqual({ kind: 'unavailable', reason: 'disabled' })
    expect(registry.status()).toMatchObject({ enabled: false })
    registry.set(createNotReadyService())
    expect(await registry.search(request, call)).toEqual({ kind: 'unavailable', reason: 'not-ready' })
    expect(searchStatusSchema.parse(registry.status())).toMatchObject({ enabled: true, phase: 'indexing' })
    registry.set(createNotReadyService('the index is of a later version'))
    expect(registry.status()).toMatchObject({
      phase: 'degraded',
      degradedRoots: [{ reason: 'the index is of a later version' }],
    })
    registry.set(null)
    expect(await registry.search(request, call)).toEqual({ kind: 'unavailable', reason: 'no-service' })
  })
})
