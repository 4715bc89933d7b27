import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLineChannel } from './line-channel.ts'
import { awaitReadyLine, formatReadyLine, maxBannerBytes } from './ready-line.ts'

/** Feeds chunks to a channel and tells what came of them. */
async function deliver(chunks: readonly Uint8Array[], maxMessageBytes: number) {
  const input = new PassThrough()
  const events: string[] = []
  const ended = new Promise<void>((resolve) => {
    createLineChannel({ input, output: new PassThrough(), maxMessageBytes }).start({
      message: (text) => events.push(`message ${text}`),
      oversize: (head) => events.push(`oversize ${head.slice(0, 8)}`),
      closed: () => resolve(),
    })
  })
  for (const chunk of chunks) input.write(chunk)
  input.end()
  await ended
  return events
}

describe('createLineChannel', () => {
  it('gives every message whole and in order under any chunking', async () => {
    const message = fc.string({ unit: 'binary', maxLength: 60 }).map((text) => JSON.stringify({ text }))
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { maxLength: 8 }),
        fc.array(fc.nat({ max: 600 }), { maxLength: 12 }),
        async (messages, cuts) => {
          const bytes = Buffer.from(messages.map((text) => `${text}\n`).join(''))
          const places = [...new Set(cuts.map((cut) => Math.min(cut, bytes.length)))].sort((a, b) => a - b)
          const chunks = [0, ...places].map((from, at) => bytes.subarray(from, places[at] ?? bytes.length))
          expect(await deliver(chunks, 1_000_000)).toEqual(
            messages.map((text) => `message ${JSON.stringify(JSON.parse(text))}`),
          )
        },
      ),
      { numRuns: 60 },
    )
  })

  it('drops a message over the limit alone, and keeps its head', async () => {
    const long = `{"id":7,"x":"${'y'.repeat(5000)}"}`
    const chunks = `before\n${long}\nafter\n`.match(/.{1,700}|\n/gs)?.map((text) => Buffer.from(text)) ?? []
    expect(await deliver(chunks, 1000)).toEqual(['message before', 'oversize {"id":7,', 'message after'])
  })

  it('passes over empty lines and does not deliver a line that never ended', async () => {
    expect(await deliver([Buffer.from('\n\r\na\nb')], 100)).toEqual(['message a'])
  })

  it('refuses to send once it is closed', async () => {
    const channel = createLineChannel({
      input: new PassThrough(),
      output: new PassThrough(),
      maxMessageBytes: 10,
    })
    await channel.close()
    await expect(channel.send('x')).rejects.toThrow('closed')
  })

  it('holds a sender back until the other side reads', async () => {
    const output = new PassThrough({ highWaterMark: 8 })
    const channel = createLineChannel({ input: new PassThrough(), output, maxMessageBytes: 100 })
    let sent = false
    const sending = channel.send('0123456789').then(() => {
      sent = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(sent).toBe(false)
    output.resume()
    await sending
  })
})

describe('awaitReadyLine', () => {
  const wait = { timeoutMs: 1000, signal: new AbortController().signal }

  it('drops a banner and keeps what follows the line', async () => {
    const input = new PassThrough()
    input.write('Welcome to devbox!\ntrawl-agent ready {broken\n')
    input.write(formatReadyLine('1.2.3').slice(0, 10))
    input.write(`${formatReadyLine('1.2.3').slice(10)}{"jsonrpc"`)
    const { hello, received } = await awaitReadyLine(input, wait)
    expect(hello).toEqual({ protocol: 1, version: '1.2.3' })
    expect(received.toString()).toBe('{"jsonrpc"')
  })

  it('gives up after 64 KiB, quoting the first line', async () => {
    const input = new PassThrough()
    input.write(`bash: nope\n${'x'.repeat(maxBannerBytes)}`)
    await expect(awaitReadyLine(input, wait)).rejects.toMatchObject({
      code: 'unreachable',
      details: { reason: 'protocol' },
      message: expect.stringContaining('"bash: nope"'),
    })
  })

  it('says crashed when the stream ends first, and cancelled when the caller leaves', async () => {
    const ended = new PassThrough()
    ended.end('command not found\n')
    await expect(awaitReadyLine(ended, wait)).rejects.toMatchObject({ details: { reason: 'crashed' } })
    await expect(
      awaitReadyLine(new PassThrough(), { ...wait, signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: 'cancelled' })
  })

  it('says timeout when nothing comes', async () => {
    await expect(awaitReadyLine(new PassThrough(), { ...wait, timeoutMs: 5 })).rejects.toMatchObject({
      details: { reason: 'timeout' },
    })
  })
})
