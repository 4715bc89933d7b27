/** The gateway's side of starting an agent that need not be there yet: sends the script, and the agent where it is wanted. */
import type { Clock } from '../../../protocol/clock.ts'
import { TrawlError } from '../../../protocol/rpc/errors.ts'
import { maxBannerBytes, readyLinePrefix } from '../../../protocol/rpc/ready-line.ts'
import type { AgentBundle } from './agent-bundle.ts'
import { olderAgentWord, startWordPrefix } from './remote-command.ts'
import { unreachable } from './ssh-errors.ts'
import type { SshStream } from './ssh-stream.ts'
import { startScript } from './start-script.ts'

/** For looking for Node, in the login shell's words too where it must be. */
const wordTimeoutMs = 15_000
const shownUnits = 600

export interface PushOptions {
  readonly bundle: AgentBundle
  /** The host, as sentences call it. */
  readonly target: string
  readonly clock: Clock
  readonly signal: AbortSignal
  /** As in `AgentStart`. */
  readonly connectingMs?: number
  /** Told when the agent is not there and is being sent, with its packed size. */
  onPush?(bytes: number): void
  /** As in `AgentStart`. */
  onOlderAgent?(): void
}

/**
 * For a stream whose command is `bootstrapCommand`. The ready line is what comes next then.
 * @returns the bytes that were sent; 0 where the agent was there.
 * @throws TrawlError `unreachable`: `agent-missing` with what stands in the way and what to do; `timeout`, `protocol`,
 *   `crashed` where the far shell said nothing of the kind. `cancelled`.
 */
export async function pushAgent(stream: SshStream, options: PushOptions): Promise<number> {
  const { bundle, target: place } = options
  stream.stdin.write(startScript(await bundle.hash()))
  const word = await awaitStartWord(stream, options)
  if (word === null) return 0
  if (word === olderAgentWord) {
    options.onOlderAgent?.()
    return 0
  }
  if (word === 'want') {
    const packed = await bundle.packed()
    options.onPush?.(packed.length)
    stream.stdin.write(packed)
    const refusal = await awaitStartWord(stream, { ...options, sentBytes: packed.length })
    if (refusal === null) return packed.length
    throw refusalOf(refusal, place)
  }
  throw refusalOf(word, place)
}

/** @returns what follows the prefix, or null when the agent's ready line has come; that line is left in the stream. */
function awaitStartWord(
  { stdout: input, closed }: SshStream,
  {
    clock,
    signal,
    target: place,
    connectingMs = 0,
    sentBytes = 0,
  }: PushOptions & { readonly sentBytes?: number },
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0)
    let isSettled = false
    const finish = (settle: () => void) => {
      if (isSettled) return
      isSettled = true
      stopTimer()
      signal.removeEventListener('abort', onAbort)
      input.off('data', onData)
      for (const event of ['end', 'close', 'error']) input.off(event, onEnd)
      input.pause()
      settle()
    }
    const fail = (reason: 'crashed' | 'protocol' | 'timeout', sentence: string) =>
      finish(() => reject(unreachable(reason, `${sentence}${quoteHead(seen)}`)))
    const onAbort = () => finish(() => reject(TrawlError.from(signal.reason)))
    const onEnd = () => fail('crashed', `The shell of ${place} ended before it could start the agent.`)
    const onData = (chunk: Buffer) => {
      seen = Buffer.concat([seen, chunk])
      const ready = seen.indexOf(readyLinePrefix)
      const found = findWord(seen)
      if (ready >= 0 && (found === null || ready < found.at)) {
        return finish(() => {
          input.unshift(seen.subarray(ready))
          resolve(null)
        })
      }
      if (found !== null) {
        return finish(() => {
          if (found.rest.length > 0) input.unshift(found.rest)
          resolve(found.word)
        })
      }
      if (seen.length > maxBannerBytes)
        fail('protocol', `The shell of ${place} printed 64 KiB and nothing of it was the agent's start.`)
    }
    // As slow as 16 KiB a second is taken for a link that still works.
    const timeoutMs = wordTimeoutMs + connectingMs + sentBytes / 16
    const stopTimer = clock.after(timeoutMs, () =>
      fail(
        'timeout',
        `The shell of ${place} did not start the agent within ${Math.round(timeoutMs / 1000)} s.`,
      ),
    )
    if (signal.aborted) return onAbort()
    // An end that came before anybody listened is not told again; what was said before it is heard first.
    void closed.then(() => setImmediate(onEnd))
    signal.addEventListener('abort', onAbort, { once: true })
    for (const event of ['end', 'close', 'error']) input.on(event, onEnd)
    input.on('data', onData)
    // Paused by whoever read before; listening alone would not start it again.
    input.resume()
  })
}

function findWord(seen: Buffer): { at: number; word: string; rest: Buffer } | null {
  const at = seen.indexOf(startWordPrefix)
  const end = at < 0 ? -1 : seen.indexOf(0x0a, at)
  if (end < 0) return null
  const word = seen
    .toString('utf8', at + startWordPrefix.length, end)
    .trim()
    .slice(0, shownUnits)
  return { at, word, rest: seen.subarray(end + 1) }
}

const needs = 'The agent needs Node 22.13 or newer, or Node 20.19 with better-sqlite3'

const obstacles: Readonly<Record<string, string>> = {
  EROFS: 'that disk is read-only. Set TRAWL_DATA_DIR there to a directory that can be written',
  EACCES: 'that place may not be written by this user. Give it write access, or set TRAWL_DATA_DIR there',
  EPERM: 'that place may not be written by this user. Give it write access, or set TRAWL_DATA_DIR there',
  ENOTDIR: 'a file is in the way there. Move it away, or set TRAWL_DATA_DIR there',
  EEXIST: 'a file is in the way there. Move it away, or set TRAWL_DATA_DIR there',
  ENOSPC: 'the disk is full. Make room (the agent takes 1 MB, and its index about half of the transcripts)',
  EDQUOT: 'the disk quota is used up. Make room, or set TRAWL_DATA_DIR there',
  damaged: 'what arrived is not what was sent. Try again',
}

function refusalOf(word: string, place: string): TrawlError {
  const [kind, code = '', ...rest] = word.split(' ')
  if (kind === 'no-node') {
    const tried = word.slice('no-node'.length).trim().replace(/;$/, '')
    const found = tried === '' ? 'There is no Node on' : `No Node that can run the agent was found on`
    const list = tried === '' ? '' : ` (${tried})`
    const mayNotRun = /permission denied/i.test(tried)
      ? ' One that may not be run lacks chmod +x, or lies on a disk that is mounted noexec.'
      : ''
    return unreachable(
      'agent-missing',
      `${found} ${place}${list}. ${needs}: install one there (nvm, fnm, volta, mise, asdf, Homebrew or a package; ` +
        `npm install -g better-sqlite3), or set ssh.agentCommand.${mayNotRun}`,
    )
  }
  if (kind === 'cannot') {
    const where = rest.join(' ')
    const why = obstacles[code] ?? `it failed with ${code}`
    return unreachable('agent-missing', `The agent could not be put on ${place} (${where}): ${why}.`)
  }
  return unreachable('protocol', `${place} answered the agent's start with: ${word}`)
}

function quoteHead(seen: Buffer): string {
  const line = seen.toString('utf8', 0, 800).trim().split('\n')[0]?.trim().slice(0, 200) ?? ''
  return line === '' ? '' : ` The first line it printed: "${line}".`
}
