/** Counts the calls that run, so that a shutdown can let them end and take no more; those that only wait for news it ends. */
import type { CallContext, RpcMethod, RpcMethods } from '../../protocol/rpc/dispatch.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { waitsForNews } from '../../protocol/rpc/methods.ts'

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
  const waiting = new Set<AbortController>()

  async function waitForNews(method: RpcMethod, params: unknown, context: CallContext): Promise<unknown> {
    const wait = new AbortController()
    const leave = () => wait.abort()
    context.signal.addEventListener('abort', leave, { once: true })
    if (context.signal.aborted) leave()
    waiting.add(wait)
    try {
      const news = await method(params, { ...context, signal: wait.signal })
      if (isStopped) throw shuttingDown()
      return news
    } finally {
      waiting.delete(wait)
      context.signal.removeEventListener('abort', leave)
    }
  }

  return {
    counted(methods) {
      return new Map(
        [...methods].map(([name, method]) => [
          name,
          async (params, context) => {
            if (isStopped) throw shuttingDown()
            running += 1
            try {
              return await (waitsForNews(name)
                ? waitForNews(method, params, context)
                : method(params, context))
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
      for (const wait of waiting) wait.abort()
      if (running === 0) return
      await new Promise<void>((resolve) => {
        onIdle = resolve
      })
    },
  }
}

function shuttingDown(): TrawlError {
  return new TrawlError('unreachable', 'The gateway is shutting down', { reason: 'offline' })
}
