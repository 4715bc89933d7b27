/** Counts the calls that run, so that a shutdown can let them end and take no more (issue: graceful shutdown). */
import type { RpcMethods } from '../../protocol/rpc/dispatch.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'

export interface RunningCalls {
  /** The same methods, counted; once stopped they answer `unreachable`. */
  counted(methods: RpcMethods): RpcMethods
  /** Takes no more calls. Settles when those that run have ended. */
  stop(): Promise<void>
}

export function createRunningCalls(): RunningCalls {
  let running = 0
  let isStopped = false
  let onIdle: () => void = () => {}

  return {
    counted(methods) {
      return new Map(
        [...methods].map(([name, method]) => [
          name,
          async (params, context) => {
            if (isStopped)
              throw new TrawlError('unreachable', 'The gateway is shutting down', { reason: 'offline' })
            running += 1
            try {
              return await method(params, context)
            } finally {
              running -= 1
              if (running === 0) onIdle()
            }
          },
        ]),
      )
    },
    async stop() {
      isStopped = true
      if (running === 0) return
      await new Promise<void>((resolve) => {
        onIdle = resolve
      })
    },
  }
}
