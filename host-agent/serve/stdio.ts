/** The agent on its own stdin and stdout: the ready line, then one JSON-RPC message a line, until stdin ends. */
import type { Readable, Writable } from 'node:stream'
import { openConnection } from '../../protocol/rpc/connection.ts'
import type { RpcMethods } from '../../protocol/rpc/dispatch.ts'
import type { TrawlError } from '../../protocol/rpc/errors.ts'
import { createLineChannel } from '../../protocol/rpc/line-channel.ts'
import { maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import { formatReadyLine } from '../../protocol/rpc/ready-line.ts'

export interface StdioOptions {
  readonly input: Readable
  readonly output: Writable
  readonly methods: RpcMethods
  readonly version: string
  createId(): string
  onFault(error: TrawlError, method: string): void
}

/** Resolves when the other side has closed the stream. */
export async function serveStdio(options: StdioOptions): Promise<void> {
  await new Promise<void>((resolve) => {
    options.output.write(formatReadyLine(options.version))
    openConnection(
      createLineChannel({
        input: options.input,
        output: options.output,
        maxMessageBytes: maxPeerMessageBytes,
      }),
      {
        methods: options.methods,
        maxMessageBytes: maxPeerMessageBytes,
        createId: options.createId,
        onFault: options.onFault,
        onClosed: () => resolve(),
      },
    )
  })
}
