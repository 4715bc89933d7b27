/** The instrument itself: each fault of the proxy does what its name says, and the same each time. */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FaultProxy, type FaultProxyOptions, startFaultProxy } from '../helpers/fault-proxy.ts'
import { createManualClock } from '../helpers/manual-clock.ts'

describe('startFaultProxy', () => {
  let server: Server
  let port: number
  let accepted: Socket[]
  const open: AsyncDisposable[] = []

  beforeEach(async () => {
    accepted = []
    // Says back what it hears, and ends when the other side does.
    server = createServer({ allowHalfOpen: true }, (socket) => {
      accepted.push(socket)
      socket.on('error', () => {})
      socket.pipe(socket)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    port = typeof address === 'object' && address !== null ? address.port : 0
  })
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
    for (const socket of accepted) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })

  async function start(options: FaultProxyOptions = {}): Promise<FaultProxy> {
    const proxy = await startFaultProxy(port, options)
    open.push(proxy)
    return proxy
  }
  function dial(proxy: FaultProxy): Socket {
    const socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => {})
    open.push({ [Symbol.asyncDispose]: async () => void socket.destroy() })
    return socket
  }
  async function echo(proxy: FaultProxy, sent: string | Buffer): Promise<string> {
    const socket = dial(proxy)
    socket.end(sent)
    return await text(socket)
  }

  it('passes everything on, both ways, ends included', async () => {
    const proxy = await start()
    const megabyte = 'x'.repeat(1024 * 1024)
    expect(await echo(proxy, megabyte)).toBe(megabyte)
    await proxy.deserted()
    expect(proxy.clients()).toEqual({ now: 0, most: 1, ever: 1 })
  })

  it('delays one way by its own clock', async () => {
    const clock = createManualClock()
    const proxy = await start({ clock })
    proxy.toClient.delay(500)
    const socket = dial(proxy)
    let heard = ''
    socket.on('data', (chunk) => {
      heard += chunk
    })
    const sentBack = new Promise<void>((resolve) => proxy.toClient.after('hello', resolve))
    socket.write('hello')
    await sentBack
    clock.advance(499)
    await new Promise((resolve) => setImmediate(resolve))
    expect(heard).toBe('')
    clock.advance(1)
    await once(socket, 'data')
    expect(heard).toBe('hello')
  })

  it('throttles to so many bytes a second', async () => {
    const clock = createManualClock()
    const proxy = await start({ clock })
    proxy.toClient.throttle(100)
    const socket = dial(proxy)
    const sentBack = new Promise<void>((resolve) => proxy.toClient.after('0123456789', resolve))
    socket.write('0123456789')
    await sentBack
    for (const digit of '0123456789') {
      const data = once(socket, 'data')
      clock.advance(10)
      expect(String((await data)[0])).toBe(digit)
    }
  })

  it('holds what is sent, ends too, and lets it go in order', async () => {
    const proxy = await start()
    const socket = dial(proxy)
    socket.write('a')
    await once(socket, 'data')
    proxy.freeze()
    await proxy.frozen
    socket.end('bc')
    let heard = ''
    socket.on('data', (chunk) => {
      heard += chunk
    })
    while (proxy.toServer.bytes() < 3) await new Promise((resolve) => setImmediate(resolve))
    expect(heard).toBe('')
    proxy.thaw()
    await once(socket, 'end')
    expect(heard).toBe('bc')
  })

  it.each(['reset', 'close'] as const)('cuts to the byte, by %s', async (how) => {
    const proxy = await start()
    proxy.toClient.cutAfter(3, how)
    const socket = dial(proxy)
    let heard = ''
    socket.on('data', (chunk) => {
      heard += chunk
    })
    const over = new Promise((resolve) => socket.once('end', resolve).once('close', resolve))
    socket.write('abcdef')
    await over
    // A reset may overtake what was sent before it.
    if (how === 'close') expect(heard).toBe('abc')
    else expect('abc'.startsWith(heard)).toBe(true)
    await proxy.deserted()
  })

  it('flips the same bits for the same seed, and about as many as it was told', async () => {
    const sent = Buffer.alloc(10_000)
    const flipped = async (seed: number) => {
      const proxy = await start({ seed })
      proxy.toServer.flip(100)
      const chunks: Buffer[] = []
      const socket = dial(proxy)
      socket.on('data', (chunk: Buffer) => void chunks.push(chunk))
      socket.end(sent)
      await once(socket, 'end')
      return Buffer.concat(chunks)
    }
    const [one, same, other] = [await flipped(7), await flipped(7), await flipped(8)]
    expect(one.equals(same)).toBe(true)
    expect(one.equals(other)).toBe(false)
    const changed = one.filter((byte) => byte !== 0).length
    expect(changed).toBeGreaterThan(50)
    expect(changed).toBeLessThan(200)
  })

  it('closes one way and leaves the other open', async () => {
    const proxy = await start()
    const socket = dial(proxy)
    socket.write('a')
    await once(socket, 'data')
    proxy.toClient.halfClose()
    await once(socket, 'end')
    const arrived = once(accepted[0] as Socket, 'data')
    socket.write('still heard')
    expect(String((await arrived)[0])).toBe('still heard')
  })

  it('takes a connection and says nothing, or ends it at once, as it is told', async () => {
    const proxy = await start()
    proxy.welcome('silence')
    const silent = dial(proxy)
    silent.write('anybody?')
    await proxy.connected
    expect(accepted).toHaveLength(0)
    proxy.welcome('reset')
    const reset = dial(proxy)
    await new Promise((resolve) => reset.once('close', resolve))
    expect(accepted).toHaveLength(0)
    proxy.welcome('pass')
    expect(await echo(proxy, 'again')).toBe('again')
  })
})
