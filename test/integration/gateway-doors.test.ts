import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Caller } from '../../gateway/access/caller.ts'
import type { CallContext, RpcMethod, RpcMethods } from '../../protocol/rpc/dispatch.ts'
import { jsonRpcExchangeMethods, jsonRpcExchanges } from '../contract/json-rpc-exchanges.ts'
import { type Address, openTestDoors, send, type TestDoors, TestSocket, withToken } from '../helpers/doors.ts'
import { createManualClock } from '../helpers/manual-clock.ts'

const call = (method: string, params: unknown = {}, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

/** Resolves with the context of the first call of `held`, which runs until it is aborted or released. */
function createHeldMethod() {
  let release: (value: unknown) => void = () => {}
  let onCalled: (context: CallContext) => void = () => {}
  const called = new Promise<CallContext>((resolve) => {
    onCalled = resolve
  })
  const method: RpcMethod = async (_params, context) => {
    onCalled(context)
    return await new Promise((resolve) => {
      release = resolve
      context.signal.addEventListener('abort', () => resolve(null), { once: true })
    })
  }
  return { method, called, release: (value: unknown) => release(value) }
}

let held = createHeldMethod()
let test: TestDoors
const callers: Caller[] = []

const methodsFor = (caller: Caller): RpcMethods => {
  callers.push(caller)
  return new Map<string, RpcMethod>([
    ...jsonRpcExchangeMethods,
    ['whoami', () => ({ exposure: caller.exposure })],
    ['held', held.method],
    ['echo', (params) => params],
    ['large', () => 'x'.repeat(17 * 1024 * 1024)],
    [
      'fails',
      () => {
        throw new Error('cannot open /home/mira/planted-path for planted-query')
      },
    ],
  ])
}

beforeEach(async () => {
  held = createHeldMethod()
  callers.length = 0
  test = await openTestDoors(methodsFor)
})
afterEach(async () => await test[Symbol.asyncDispose]())

const tcp = (): Address => ({ port: test.port })
const unix = (): Address => ({ socketPath: test.socketPath })

describe('JSON-RPC, section 7', () => {
  const doors = [
    { door: 'TCP', address: tcp, headers: withToken as Record<string, string> },
    { door: 'the Unix socket', address: unix, headers: {} },
  ]
  for (const { door, address, headers } of doors) {
    it.each(jsonRpcExchanges)(
      `comes out as printed over POST on ${door}: $name`,
      async ({ send: body, expect: printed }) => {
        const answer = await send(address(), { headers, body })
        expect(answer.status).toBe(printed === null ? 204 : 200)
        expect(answer.text === '' ? null : JSON.parse(answer.text)).toEqual(printed)
      },
    )

    it(`comes out as printed over one WebSocket on ${door}`, async () => {
      await using socket = await TestSocket.open(address(), headers)
      for (const { name, send: text, expect: printed } of jsonRpcExchanges) {
        socket.send(text)
        if (printed !== null) {
          expect(await socket.next(), name).toEqual(printed)
          continue
        }
        // Nothing may come back: the next frame is the answer to the next call.
        socket.send(call('echo', { after: name }))
        expect(await socket.next()).toEqual({ jsonrpc: '2.0', id: 1, result: { after: name } })
      }
    })
  }
})

describe('who may come in', () => {
  it('[exposure.class-from-connection] takes the class from the door and the token, whatever a request claims', async () => {
    const claims = call('whoami', {
      exposure: 'ipc',
      transport: 'ipc',
      clientKind: 'desktop',
      executionHostId: 'local',
    })
    const overUnix = await send(unix(), { body: claims })
    const overTcp = await send(tcp(), { headers: { ...withToken, 'x-exposure': 'ipc' }, body: claims })
    expect(JSON.parse(overUnix.text)).toMatchObject({ result: { exposure: 'ipc' } })
    expect(JSON.parse(overTcp.text)).toMatchObject({ result: { exposure: 'runtime' } })
    await using socket = await TestSocket.open(tcp(), withToken)
    socket.send(claims)
    expect(await socket.next()).toMatchObject({ result: { exposure: 'runtime' } })
  })

  it.each([
    ['no token', {}],
    ['a wrong token', { authorization: 'Bearer wrong' }],
    ['another scheme', { authorization: 'Basic d3Jvbmc=' }],
  ])('answers %s over POST with 401 and −32001, before any method is reached', async (_what, headers) => {
    const answer = await send(tcp(), { headers: { ...headers }, body: call('whoami') })
    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).toBe('Bearer')
    expect(JSON.parse(answer.text)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32001, message: 'Missing or unknown credential', data: { code: 'unauthorized' } },
    })
    expect(callers).toEqual([])
  })

  it('takes no token from the URL', async () => {
    const token = withToken.authorization.slice('Bearer '.length)
    const answer = await send(tcp(), { path: `/rpc?token=${token}`, body: call('whoami') })
    expect(answer.status).toBe(401)
    await using socket = await TestSocket.open(tcp(), {}, `/rpc?token=${token}`)
    socket.send(call('whoami'))
    expect(await socket.next()).toMatchObject({ error: { code: -32001 } })
    expect(callers).toEqual([])
  })

  it('refuses an upgrade with a wrong token', async () => {
    await expect(TestSocket.open(tcp(), { authorization: 'Bearer wrong' })).rejects.toThrow('HTTP 401')
  })

  it('takes the token as the first message of a WebSocket', async () => {
    await using socket = await TestSocket.open(tcp())
    const token = withToken.authorization.slice('Bearer '.length)
    socket.send(call('auth', { token }, 'a'))
    // Sent at once, without waiting: it may not get lost.
    socket.send(call('whoami', {}, 'b'))
    expect(await socket.next()).toEqual({ jsonrpc: '2.0', id: 'a', result: { exposure: 'runtime' } })
    expect(await socket.next()).toEqual({ jsonrpc: '2.0', id: 'b', result: { exposure: 'runtime' } })
  })

  it.each([
    ['a wrong token', call('auth', { token: 'wrong' }, 7), 7],
    ['another method', call('whoami'), null],
    ['no JSON', 'hello', null],
    ['longer than an introduction', call('auth', { token: 'x'.repeat(10_000) }), null],
  ])('ends a WebSocket whose first message is %s', async (_what, message, id) => {
    const socket = await TestSocket.open(tcp())
    socket.send(message)
    expect(await socket.next()).toMatchObject({ id, error: { code: -32001 } })
    expect((await socket.closed).code).toBe(1008)
    expect(callers).toEqual([])
  })

  it('cuts a WebSocket whose first message does not end', async () => {
    const socket = await TestSocket.open(tcp())
    socket.send(call('auth', { token: 'x'.repeat(2 * 1024 * 1024) }))
    expect((await socket.closed).code).toBe(1006)
    expect(callers).toEqual([])
  })

  it('ends a WebSocket that shows no credential within 5 s', async () => {
    const clock = createManualClock()
    await using timed = await openTestDoors(methodsFor, { clock })
    const socket = await TestSocket.open({ port: timed.port })
    clock.advance(4_999)
    socket.socket.ping()
    await once(socket.socket, 'pong')
    clock.advance(1)
    expect((await socket.closed).code).toBe(1008)
    clock.advance(60_000)
  })

  it.each([
    ['another Host', { host: 'evil.example' }],
    ['a rebound name', { host: 'localhost.evil.example:7717' }],
    ['another Origin', { origin: 'https://evil.example' }],
    ['an opaque Origin', { origin: 'null' }],
  ])(
    'refuses %s on TCP with 403, over POST, WebSocket and /health, good token or not',
    async (_what, headers) => {
      const sent = { ...withToken, ...headers }
      const answer = await send(tcp(), { headers: sent, body: call('whoami') })
      expect(answer.status).toBe(403)
      expect(JSON.parse(answer.text)).toMatchObject({ error: { code: -32002 } })
      expect((await send(tcp(), { method: 'GET', path: '/health', headers: sent })).status).toBe(403)
      await expect(TestSocket.open(tcp(), sent)).rejects.toThrow('HTTP 403')
      expect(callers).toEqual([])
    },
  )

  it('lets a page of this machine call, and asks nothing of the kind on the Unix socket', async () => {
    const page = { ...withToken, origin: 'http://localhost:5173', host: 'localhost' }
    expect((await send(tcp(), { headers: page, body: call('whoami') })).status).toBe(200)
    expect((await send(unix(), { headers: { host: 'anything' }, body: call('whoami') })).status).toBe(200)
  })

  it('tells this machine without a token which process answers at /health, and others that one does', async () => {
    const health = async (address: Address, headers: Record<string, string> = {}) =>
      JSON.parse((await send(address, { method: 'GET', path: '/health', headers })).text)
    const whole = { status: 'ok', name: 'trawl', version: '9.9.9', pid: process.pid }
    expect(await health(tcp())).toEqual(whole)
    expect(await health(unix())).toEqual(whole)
    for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'])
      expect(await health(tcp(), { [header]: '203.0.113.7' })).toEqual({ status: 'ok' })
  })

  it.each([
    ['GET', '/rpc'],
    ['POST', '/other'],
    ['GET', '/'],
  ])('has nothing at %s %s', async (method, path) => {
    expect((await send(tcp(), { method, path, headers: withToken })).status).toBe(404)
  })

  it('upgrades at /rpc alone', async () => {
    await expect(TestSocket.open(tcp(), withToken, '/other')).rejects.toThrow('HTTP 404')
    await expect(TestSocket.open(tcp(), withToken, '//')).rejects.toThrow('HTTP 404')
  })
})

describe('limits', () => {
  const mebibyte = 1024 * 1024
  const ofSize = (bytes: number) => {
    const empty = call('echo', { pad: '' })
    return call('echo', { pad: 'x'.repeat(bytes - empty.length) })
  }

  it('takes a POST of 1 MiB, and answers a longer one with 413 and response_too_large', async () => {
    expect((await send(unix(), { body: ofSize(mebibyte) })).status).toBe(200)
    const answer = await send(unix(), { body: ofSize(mebibyte + 1) })
    expect(answer.status).toBe(413)
    expect(JSON.parse(answer.text)).toMatchObject({
      error: { code: -32008, data: { code: 'response_too_large' } },
    })
  })

  it('fails an oversize call over WebSocket by its id, and the link goes on', async () => {
    await using socket = await TestSocket.open(unix())
    socket.send(ofSize(mebibyte + 1))
    expect(await socket.next()).toMatchObject({ id: 1, error: { code: -32008 } })
    socket.send(ofSize(mebibyte))
    expect(await socket.next()).toMatchObject({ id: 1, result: {} })
  })

  it('makes an answer over 16 MiB response_too_large, for that call alone', async () => {
    const answer = await send(unix(), { body: `[${call('large', {}, 1)},${call('echo', {}, 2)}]` })
    expect(JSON.parse(answer.text)).toMatchObject([
      { id: 1, error: { code: -32008 } },
      { id: 2, result: {} },
    ])
  })

  it('takes batches of 100 calls and no longer ones', async () => {
    const batch = (size: number) =>
      `[${Array.from({ length: size }, (_, id) => call('echo', {}, id)).join(',')}]`
    expect(JSON.parse((await send(unix(), { body: batch(100) })).text)).toHaveLength(100)
    expect(JSON.parse((await send(unix(), { body: batch(101) })).text)).toMatchObject({
      error: { code: -32600 },
    })
  })

  it('refuses a nesting deeper than 128', async () => {
    const nested = (depth: number) =>
      call('echo', { deep: JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown })
    expect(JSON.parse((await send(unix(), { body: nested(100) })).text)).toHaveProperty('result')
    expect(JSON.parse((await send(unix(), { body: nested(200) })).text)).toMatchObject({
      error: { code: -32600 },
    })
  })

  it('takes JSON alone', async () => {
    const answer = await send(unix(), { headers: { 'content-type': 'text/plain' }, body: call('echo') })
    expect(answer.status).toBe(415)
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code: -32600 } })
  })

  it('answers an empty body as a parse error', async () => {
    expect(JSON.parse((await send(unix(), { body: '' })).text)).toMatchObject({ error: {} })
  })
})

describe('leaving', () => {
  it('aborts the call of a POST whose client goes away', async () => {
    const leaving = new AbortController()
    const answer = send(unix(), { body: call('held'), signal: leaving.signal })
    const { signal } = await held.called
    expect(signal.aborted).toBe(false)
    leaving.abort()
    await expect(answer).rejects.toThrow()
    if (!signal.aborted) await once(signal, 'abort')
  })

  it('aborts the calls of a WebSocket whose client goes away', async () => {
    const socket = await TestSocket.open(unix())
    socket.send(call('held'))
    const { signal } = await held.called
    socket.socket.terminate()
    if (!signal.aborted) await once(signal, 'abort')
  })

  it('does not abort a call whose answer has been sent', async () => {
    const answer = send(unix(), { body: call('held') })
    const { signal } = await held.called
    held.release('done')
    expect(JSON.parse((await answer).text)).toMatchObject({ result: 'done' })
    expect(test.logged()).toBe('')
    expect(signal.reason).not.toBeInstanceOf(TypeError)
  })

  it('answers a call cancelled by its caller with −32800', async () => {
    await using socket = await TestSocket.open(unix())
    socket.send(call('held', {}, 'h'))
    await held.called
    socket.send(JSON.stringify({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 'h' } }))
    expect(await socket.next()).toMatchObject({ id: 'h', error: { code: -32800 } })
  })

  it('carries notifications to the caller over WebSocket', async () => {
    await using socket = await TestSocket.open(unix())
    socket.send(call('held'))
    const { notify } = await held.called
    notify('$/progress', { token: 1, value: {} })
    expect(await socket.next()).toEqual({
      jsonrpc: '2.0',
      method: '$/progress',
      params: { token: 1, value: {} },
    })
    held.release(null)
    expect(await socket.next()).toMatchObject({ id: 1, result: null })
  })
})

describe('closing', () => {
  it('lets running calls end, takes no more, and says 1012 to WebSockets', async () => {
    const socket = await TestSocket.open(unix())
    socket.send(call('held', {}, 'h'))
    await held.called
    const closing = test.doors.close()
    socket.send(call('echo', {}, 'late'))
    expect(await socket.next()).toMatchObject({
      id: 'late',
      error: { code: -32010, data: { reason: 'offline' } },
    })
    held.release('whole')
    expect(await socket.next()).toMatchObject({ id: 'h', result: 'whole' })
    expect((await socket.closed).code).toBe(1012)
    await closing
  })

  it('lets a POST that runs have its answer', async () => {
    const answer = send(tcp(), { headers: withToken, body: call('held') })
    await held.called
    const closing = test.doors.close()
    held.release('whole')
    expect(JSON.parse((await answer).text)).toMatchObject({ result: 'whole' })
    await closing
  })

  it('cuts off after 5 s what does not end', async () => {
    const clock = createManualClock()
    await using timed = await openTestDoors(methodsFor, { clock })
    const answer = send({ socketPath: timed.socketPath }, { body: call('held') })
    const failed = expect(answer).rejects.toThrow()
    await held.called
    const closing = timed.doors.close()
    clock.advance(5_000)
    await closing
    await failed
  })

  it('leaves no socket file and no open port', async () => {
    expect(statSync(test.socketPath).mode & 0o777).toBe(0o600)
    await using _idle = await TestSocket.open(tcp(), withToken)
    await test.doors.close()
    expect(existsSync(test.socketPath)).toBe(false)
    await expect(send(tcp(), { headers: withToken, body: call('echo') })).rejects.toThrow('ECONNREFUSED')
  })

  it('closes once, however often it is asked', async () => {
    await Promise.all([test.doors.close(), test.doors.close()])
    await test.doors.close()
  })
})

describe('the log of a whole run', () => {
  it('holds no token, query text or path above debug level', async () => {
    const planted = { query: 'planted-query', filters: { scopePaths: ['/home/mira/planted-path'] } }
    await send(tcp(), { headers: withToken, body: call('fails', planted) })
    await send(tcp(), {
      headers: { authorization: 'Bearer planted-token-wrong' },
      body: call('fails', planted),
    })
    await send(tcp(), {
      headers: { ...withToken, origin: 'https://planted-path.example' },
      body: call('echo', planted),
    })
    await send(tcp(), { path: '/planted-path?token=planted-token', headers: withToken, body: 'x' })
    await send(tcp(), { headers: withToken, body: 'x'.repeat(2 * 1024 * 1024) })
    await using socket = await TestSocket.open(tcp())
    socket.send(call('auth', { token: 'planted-token-wrong' }))
    await socket.closed
    expect(test.logged()).toContain('"correlationId":"correlation-1"')
    expect(test.logged()).toContain('a request was refused')
    expect(test.logged()).not.toMatch(/planted/)
  })

  it('answers a fault without its text, under an id that the log has too', async () => {
    const answer = await send(unix(), { body: call('fails') })
    expect(JSON.parse(answer.text)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32603,
        message: 'Internal error',
        data: { code: 'internal', correlationId: 'correlation-1' },
      },
    })
  })
})
