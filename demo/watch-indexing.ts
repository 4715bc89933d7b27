/** Shows how far each host's index is, until all of them are current. */
import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type SearchStatus, searchStatusSchema } from '../protocol/session-search/status.ts'

const pollIntervalMs = 100
const giveUpMs = 60_000

export interface WatchOptions {
  readonly socketPath: string
  readonly signal: AbortSignal
  readonly output: NodeJS.WriteStream
}

/** @throws Error when a host is not current within a minute, saying what is known of each. */
export async function watchIndexing(hostIds: readonly string[], options: WatchOptions): Promise<void> {
  const startedMs = Date.now()
  let shown = 0
  let last = ''
  for (;;) {
    const lines = await Promise.all(
      hostIds.map(async (id) => ({ id, ...(await look(id, options.socketPath)) })),
    )
    const text = lines.map(({ id, words }) => `  ${id.padEnd(12)} ${words}\n`).join('')
    const isDone = lines.every((line) => line.isDone)
    if (text !== last && (options.output.isTTY || isDone)) {
      if (shown > 0) options.output.write(`\u001b[${shown}A\u001b[0J`)
      options.output.write(text)
      shown = options.output.isTTY ? lines.length : 0
      last = text
    }
    if (isDone) return
    if (Date.now() - startedMs > giveUpMs) throw new Error(`The hosts are not ready after a minute:\n${text}`)
    await delay(pollIntervalMs, undefined, { signal: options.signal })
  }
}

async function look(id: string, socketPath: string): Promise<{ words: string; isDone: boolean }> {
  const status = await askStatus(id, socketPath)
  if (typeof status === 'string') return { words: status, isDone: false }
  const { phase, filesIndexed, progress } = status
  if (phase === 'current') return { words: `${filesIndexed} transcripts indexed`, isDone: true }
  if (progress === undefined) return { words: phase, isDone: false }
  return { words: `indexing ${progress.filesDone} of ${progress.filesTotal} transcripts`, isDone: false }
}

function askStatus(executionHostId: string, socketPath: string): Promise<SearchStatus | string> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'aiVault.searchStatus',
    params: { executionHostId },
  })
  return new Promise((resolve) => {
    const fail = () => resolve('the gateway does not answer')
    const call = request({
      socketPath,
      path: '/rpc',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    })
    call.on('error', fail)
    call.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('error', fail)
      response.on('end', () => resolve(read(text)))
    })
    call.end(body)
  })
}

function read(text: string): SearchStatus | string {
  const { result, error } = JSON.parse(text)
  const parsed = searchStatusSchema.safeParse(result)
  return parsed.success ? parsed.data : String(error?.data?.reason ?? error?.message ?? 'no status')
}
