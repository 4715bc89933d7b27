/** A gateway as a subcommand asks it, and the one that runs already, through its Unix socket. */
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { readRpcAnswer } from '../client/http-carrier.ts'
import { unixPost } from '../client/unix-post.ts'
import { Refusal } from '../refusal.ts'

export interface GatewayClient extends AsyncDisposable {
  /** True where the gateway lives in this process, and its hosts were started just now. */
  readonly isFresh: boolean
  /** Waits until every host has finished its first attempt; a running gateway has long done so. */
  settled(): Promise<void>
  /** @throws TrawlError what the gateway answered; Refusal `gateway-unreachable` when it went away. */
  call(method: string, params: unknown, signal: AbortSignal): Promise<unknown>
}

/**
 * Speaks to the gateway that listens on the socket. No time-out of its own: the gateway bounds every call, and Ctrl-C ends
 * the wait.
 */
export function socketClient(socketPath: string): GatewayClient {
  const post = unixPost(socketPath)
  return {
    isFresh: false,
    settled: async () => {},
    async call(method, params, signal) {
      const answer = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), signal).catch(
        (error: unknown) => {
          throw signal.aborted
            ? new TrawlError('cancelled', undefined, {}, error)
            : new Refusal('gateway-unreachable', 'The running gateway went away before it answered.', error)
        },
      )
      return readRpcAnswer(answer)
    },
    async [Symbol.asyncDispose]() {},
  }
}
