import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { awaitReadyLine, formatReadyLine } from '../../../protocol/rpc/ready-line.ts'
import { createManualClock } from '../../../test/helpers/manual-clock.ts'
import type { AgentBundle } from './agent-bundle.ts'
import { openAgentBundle } from './agent-bundle.ts'
import { pushAgent } from './push-agent.ts'
import type { SshStream } from './ssh-stream.ts'

const hash = 'c0ffee'.padEnd(32, '0')
const packed = Buffer.from('packed agent')
const bundle: AgentBundle = { hash: async () => hash, packed: async () => packed }

/** A far shell that says what the test has it say. */
function shell() {
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  const stream: SshStream = {
    stdin,
    stdout,
    stderrTail: () => '',
    closed: new Promise(() => {}),
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  }
  return { stdin, stdout, stream }
}

function push(
  stream: SshStream,
  options: {
    clock?: ReturnType<typeof createManualClock>
    signal?: AbortSignal
    onOlderAgent?: () => void
  } = {},
) {
  const { clock = createManualClock(), signal = new AbortController().signal, ...rest } = options
  return pushAgent(stream, { bundle, target: 'devbox', clock, signal, ...rest })
}

describe('pushAgent', () => {
  it('sends one line, and nothing more where the agent is there; the ready line stays to be read', async () => {
    const { stdin, stdout, stream } = shell()
    stdout.write(`welcome, no line end${formatReadyLine('1')}{"first":"message"}\n`)
    expect(await push(stream)).toBe(0)
    const sent = String(stdin.read())
    expect(sent.indexOf('\n')).toBe(sent.length - 1)
    expect(sent).toContain(hash)
    const { received } = await awaitReadyLine(stdout, {
      timeoutMs: 1_000,
      signal: new AbortController().signal,
    })
    expect(String(received)).toBe('{"first":"message"}\n')
  })

  it('sends the agent when it is wanted, whatever way the words are cut', async () => {
    const { stdin, stdout, stream } = shell()
    const pushing = push(stream)
    for (const byte of Buffer.from('banner\n\ntrawl-install want\n')) stdout.write(Buffer.of(byte))
    await new Promise<void>((resolve) => {
      const look = (chunk: Buffer) => {
        if (!chunk.includes('packed agent')) return
        stdin.off('data', look)
        resolve()
      }
      stdin.on('data', look)
    })
    stdout.write(formatReadyLine('1'))
    expect(await pushing).toBe(packed.length)
  })

  it('sends nothing where an installed agent of an older version answers, and tells of it', async () => {
    const { stdout, stream } = shell()
    let told = 0
    const onOlderAgent = () => {
      told++
    }
    stdout.write(`\ntrawl-install older-agent\n${formatReadyLine('0')}`)
    expect(await push(stream, { onOlderAgent })).toBe(0)
    expect(told).toBe(1)
    const { hello } = await awaitReadyLine(stdout, {
      timeoutMs: 1_000,
      signal: new AbortController().signal,
    })
    expect(hello.version).toBe('0')
  })

  it.each([
    [
      'no-node',
      /^There is no Node on devbox\. The agent needs Node 22\.13 or newer, or Node 20\.19 with better-sqlite3/,
    ],
    [
      'no-node /usr/bin/node is 18.19.0, which is too old; ',
      /^No Node that can run the agent was found on devbox \(\/usr\/bin\/node is 18\.19\.0, which is too old\)/,
    ],
    [
      'no-node /opt/node/bin/node cannot be run (sh: 1: /opt/node/bin/node: Permission denied); ',
      /cannot be run .*chmod \+x.*noexec/,
    ],
    [
      'cannot EROFS /home/mira/.local',
      /put on devbox \(\/home\/mira\/\.local\): that disk is read-only.*TRAWL_DATA_DIR/,
    ],
    ['cannot EACCES /home/mira', /may not be written/],
    ['cannot ENOSPC /home/mira/my agents', /\(\/home\/mira\/my agents\): the disk is full\. Make room/],
    ['cannot EDQUOT /home', /quota/],
    ['cannot ENOTDIR /home', /a file is in the way/],
    ['cannot EIO /home', /failed with EIO/],
  ])('tells %s as what stands in the way, and what to do', async (word, sentence) => {
    const { stdout, stream } = shell()
    stdout.write(`\ntrawl-install ${word}\n`)
    await expect(push(stream)).rejects.toMatchObject({
      code: 'unreachable',
      details: { reason: 'agent-missing' },
      message: expect.stringMatching(sentence),
    })
  })

  it('gives up on a shell that ends, one that prints without end and one that says nothing', async () => {
    const ended = shell()
    ended.stdout.end('nologin\n')
    await expect(push(ended.stream)).rejects.toMatchObject({
      details: { reason: 'crashed' },
      message: expect.stringContaining('"nologin"'),
    })
    const flood = shell()
    flood.stdout.write('x'.repeat(70_000))
    await expect(push(flood.stream)).rejects.toMatchObject({ details: { reason: 'protocol' } })
    const silent = shell()
    const clock = createManualClock()
    const waiting = push(silent.stream, { clock })
    const outcome = expect(waiting).rejects.toMatchObject({ details: { reason: 'timeout' } })
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(15_000)
    await outcome
  })

  it('ends with its caller', async () => {
    const { stream } = shell()
    const caller = new AbortController()
    const waiting = push(stream, { signal: caller.signal })
    const outcome = expect(waiting).rejects.toMatchObject({ code: 'cancelled' })
    caller.abort()
    await outcome
  })
})

describe('openAgentBundle', () => {
  it('says what to do where the file is missing', async () => {
    await expect(openAgentBundle('/nowhere/agent.mjs').hash()).rejects.toMatchObject({
      details: { reason: 'not-configured' },
      message: expect.stringContaining('ssh.install = "never"'),
    })
  })
})
