import { describe, expect, it } from 'vitest'
import { fromRpcError, TrawlError, toRpcError } from '../../protocol/rpc/errors.ts'
import { withShownErrors } from './shown-errors.ts'

const context = { signal: new AbortController().signal, notify: () => {} }
const told = async (exposure: 'ipc' | 'runtime' | 'relay', error: TrawlError) => {
  const method = withShownErrors(exposure, () => {
    throw error
  })
  try {
    return await method({}, context)
  } catch (thrown) {
    return toRpcError(TrawlError.from(thrown))
  }
}

const ofHost = fromRpcError({
  code: -32602,
  message: 'cannot read /home/planted/x',
  data: {
    code: 'invalid_path',
    reason: '/home/planted/why',
    correlationId: '/home/planted/id',
    retryAfterSec: 3,
    issues: [{ path: 'root', message: '/home/planted/root' }],
    hosts: [{ executionHostId: '/home/planted', outcome: 'results', durationMs: 1, more: '/home/planted' }],
  },
})

describe('withShownErrors', () => {
  it('gives a relay the code of what a host answered, and none of its words', async () => {
    expect(await told('relay', ofHost)).toEqual({
      code: -32602,
      message: 'Invalid path',
      data: { code: 'invalid_path', retryAfterSec: 3 },
    })
    const down = fromRpcError({
      code: -32010,
      message: 'x',
      data: { code: 'unreachable', reason: 'offline' },
    })
    expect(await told('relay', down)).toMatchObject({ data: { code: 'unreachable', reason: 'offline' } })
  })

  it('leaves what the gateway says itself, and everything for the owner', async () => {
    const own = new TrawlError('unknown_host', 'No host is called "x".', {}, '/home/planted/detail')
    expect(await told('relay', own)).toMatchObject({ message: 'No host is called "x".' })
    for (const exposure of ['ipc', 'runtime'] as const)
      expect(await told(exposure, ofHost)).toEqual(toRpcError(ofHost))
  })
})
