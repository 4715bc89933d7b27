import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../test/helpers/manual-clock.ts'
import { ChannelClosed, createWebSocketChannel } from './websocket-channel.ts'

const intervalMs = 15_000

class FakeSocket extends EventEmitter {
  bufferedAmount = 0
  pings = 0
  sent: string[] = []
  closedWith: (number | undefined)[] = []
  isTerminated = false

  send(text: string, done: (error?: Error | null) => void): void {
    this.sent.push(text)
    done()
  }
  ping(): void {
    this.pings += 1
  }
  close(code?: number): void {
    this.closedWith.push(code)
  }
  terminate(): void {
    this.isTerminated = true
    this.emit('close', 1006, Buffer.alloc(0))
  }
  say(text: string): void {
    this.emit('message', Buffer.from(text), false)
  }
}

function open(options: { maxMessageBytes?: number; maxBufferedBytes?: number; start?: boolean } = {}) {
  const socket = new FakeSocket()
  const clock = createManualClock()
  const seen = { messages: [] as string[], heads: [] as string[], closed: [] as (Error | null)[] }
  const channel = createWebSocketChannel(socket, {
    maxMessageBytes: options.maxMessageBytes ?? 100,
    pingIntervalMs: intervalMs,
    clock,
    ...(options.maxBufferedBytes === undefined ? {} : { maxBufferedBytes: options.maxBufferedBytes }),
  })
  const handlers = {
    message: (text: string) => seen.messages.push(text),
    oversize: (head: string) => seen.heads.push(head),
    closed: (cause: Error | null) => seen.closed.push(cause),
  }
  if (options.start !== false) channel.start(handlers)
  return { socket, clock, seen, channel, handlers }
}

describe('createWebSocketChannel', () => {
  it('delivers each text frame as one message', () => {
    const { socket, seen } = open()
    socket.say('{"a":"ä"}')
    socket.say('two')
    expect(seen.messages).toEqual(['{"a":"ä"}', 'two'])
  })

  it('keeps what arrives before it is started, in order', () => {
    const { socket, seen, channel, handlers } = open({ start: false })
    socket.say('one')
    socket.say('two')
    expect(seen.messages).toEqual([])
    channel.start(handlers)
    expect(seen.messages).toEqual(['one', 'two'])
  })

  it('drops a message over the limit, shows its head, and goes on', () => {
    const { socket, seen } = open({ maxMessageBytes: 10 })
    socket.say('{"id":1,"result":"too long"}')
    socket.say('short')
    expect(seen.heads).toEqual(['{"id":1,"result":"too long"}'])
    expect(seen.messages).toEqual(['short'])
    expect(seen.closed).toEqual([])
  })

  it('counts the limit in bytes, and a message of exactly the limit passes', () => {
    const { socket, seen } = open({ maxMessageBytes: 4 })
    socket.say('ääx')
    socket.say('ää')
    expect(seen.messages).toEqual(['ää'])
    expect(seen.heads).toEqual(['ääx'])
  })

  it('ends a link on a binary frame with 1003', () => {
    const { socket, seen } = open()
    socket.emit('message', Buffer.from('x'), true)
    expect(socket.closedWith).toEqual([1003])
    expect(seen.closed[0]).toMatchObject({ closeCode: 1003 })
  })

  it('pings after an interval without a word, and cuts the link when a second one passes', () => {
    const { socket, clock, seen } = open()
    clock.advance(2 * intervalMs - 1)
    expect(socket.pings).toBe(1)
    expect(socket.isTerminated).toBe(false)
    clock.advance(1)
    expect(socket.isTerminated).toBe(true)
    expect(seen.closed).toHaveLength(1)
    expect(seen.closed[0]?.message).toContain('two ping intervals')
    expect(clock.pending).toBe(0)
  })

  it.each([1, intervalMs / 2, intervalMs, intervalMs + 1, 2 * intervalMs - 1])(
    'cuts a link that falls silent %i ms after it was last looked at, two intervals later and no sooner',
    (heardAtMs) => {
      const { socket, clock } = open()
      clock.advance(heardAtMs)
      socket.emit('pong')
      clock.advance(2 * intervalMs - 1)
      expect(socket.isTerminated).toBe(false)
      clock.advance(1)
      expect(socket.isTerminated).toBe(true)
    },
  )

  it('holds a link whose other side is heard of: by pong, ping or message', () => {
    const { socket, clock } = open()
    for (const hear of [
      () => socket.emit('pong'),
      () => socket.emit('ping'),
      () => socket.say('x'),
      () => socket.emit('pong'),
    ]) {
      clock.advance(2 * intervalMs - 1)
      hear()
    }
    expect(socket.isTerminated).toBe(false)
  })

  it('gives a ping that was sent late its time to be answered', () => {
    const { socket, clock } = open()
    clock.stall(3 * intervalMs)
    expect(socket.pings).toBe(1)
    clock.advance(intervalMs / 2 - 1)
    expect(socket.isTerminated).toBe(false)
    clock.advance(1)
    expect(socket.isTerminated).toBe(true)
  })

  it('holds a slow link for as long as what is unsent gets less, and an interval longer', () => {
    const { socket, clock } = open()
    socket.bufferedAmount = 3_000
    clock.advance(intervalMs)
    for (const leftBytes of [2_000, 1_000]) {
      socket.bufferedAmount = leftBytes
      clock.advance(intervalMs)
      expect(socket.isTerminated).toBe(false)
    }
    clock.advance(intervalMs - 1)
    expect(socket.isTerminated).toBe(false)
    clock.advance(1)
    expect(socket.isTerminated).toBe(true)
  })

  it('cuts off a reader that lets more than the bound pile up', async () => {
    const { socket, channel, seen } = open({ maxBufferedBytes: 1000 })
    await channel.send('fits')
    socket.bufferedAmount = 1001
    await expect(channel.send('too much')).rejects.toThrow('does not read')
    expect(socket.isTerminated).toBe(true)
    expect(socket.sent).toEqual(['fits'])
    expect(seen.closed[0]?.message).toContain('does not read')
  })

  it.each([1012, 1013, 1006])('tells the close code %i in the cause', (code) => {
    const { socket, seen } = open()
    socket.emit('close', code, Buffer.from('come back'))
    expect(seen.closed[0]).toBeInstanceOf(ChannelClosed)
    expect(seen.closed[0]).toMatchObject({ closeCode: code, message: 'come back' })
  })

  it.each([1000, 1001])('counts close code %i as no fault', (code) => {
    const { socket, seen } = open()
    socket.emit('close', code, Buffer.alloc(0))
    expect(seen.closed).toEqual([null])
  })

  it('keeps the error of the socket as the cause of the end', () => {
    const { socket, seen } = open()
    const fault = new Error('ECONNRESET')
    socket.emit('error', fault)
    socket.emit('close', 1006, Buffer.alloc(0))
    expect(seen.closed[0]?.cause).toBe(fault)
  })

  it('says nothing after it was closed, and leaves no timer', async () => {
    const { socket, clock, seen, channel } = open()
    const closing = channel.close()
    socket.say('late')
    socket.emit('close', 1000, Buffer.alloc(0))
    await closing
    expect(seen.messages).toEqual([])
    expect(seen.closed).toEqual([null])
    expect(clock.pending).toBe(0)
    await expect(channel.send('x')).rejects.toThrow('closed')
  })

  it('cuts off a socket that does not answer its close', async () => {
    const { socket, clock, channel } = open()
    const closing = channel.close()
    expect(socket.isTerminated).toBe(false)
    clock.advance(2_000)
    expect(socket.isTerminated).toBe(true)
    await closing
  })

  it('tells a late starter that the link has ended already', async () => {
    const { socket, channel, handlers, seen } = open({ start: false })
    socket.emit('close', 1013, Buffer.alloc(0))
    channel.start(handlers)
    await Promise.resolve()
    expect(seen.closed[0]).toMatchObject({ closeCode: 1013 })
  })
})
