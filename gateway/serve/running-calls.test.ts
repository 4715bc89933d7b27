import { describe, expect, it } from 'vitest'
import type { RpcMethod } from '../../protocol/rpc/dispatch.ts'
import { createRunningCalls } from './running-calls.ts'

const context = { signal: new AbortController().signal, notify: () => {} }

function call(methods: ReadonlyMap<string, RpcMethod>, name: string): Promise<unknown> {
  return Promise.resolve(methods.get(name)?.({}, context))
}

describe('createRunningCalls', () => {
  it('waits for the calls that run, failed ones too, and takes no more', async () => {
    const calls = createRunningCalls()
    let finish: () => void = () => {}
    const held = new Promise<void>((resolve) => {
      finish = resolve
    })
    const methods = calls.counted(
      new Map<string, RpcMethod>([
        ['held', async () => await held],
        [
          'fails',
          async () => {
            await held
            throw new Error('no')
          },
        ],
      ]),
    )
    const running = call(methods, 'held')
    const failing = call(methods, 'fails')
    let hasStopped = false
    const stopped = calls.stop().then(() => {
      hasStopped = true
    })
    await expect(call(methods, 'held')).rejects.toMatchObject({
      code: 'unreachable',
      details: { reason: 'offline' },
    })
    expect(hasStopped).toBe(false)
    finish()
    await running
    await expect(failing).rejects.toThrow('no')
    await stopped
  })

  it('ends what only waits for news, and says why', async () => {
    const calls = createRunningCalls()
    const methods = calls.counted(
      new Map<string, RpcMethod>([
        [
          'devices.await',
          async (_params, { signal }) => {
            await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
            return { state: 'open' }
          },
        ],
      ]),
    )
    const waiting = call(methods, 'devices.await')
    const stopped = calls.stop()
    await expect(waiting).rejects.toMatchObject({
      code: 'unreachable',
      message: 'The gateway is shutting down',
    })
    await stopped
  })

  it('stops at once when nothing runs', async () => {
    await createRunningCalls().stop()
  })
})
