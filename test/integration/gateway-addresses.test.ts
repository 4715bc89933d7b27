/** What a gateway does about a port or a socket file that is there already. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RpcMethod, RpcMethods } from '../../protocol/rpc/dispatch.ts'
import { type Address, openTestDoors, send, type TestDoors } from '../helpers/doors.ts'

let test: TestDoors
const methodsFor = (): RpcMethods => new Map<string, RpcMethod>([['echo', (params) => params]])
const unix = (): Address => ({ socketPath: test.socketPath })
const call = (method: string, params: unknown = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

beforeEach(async () => {
  test = await openTestDoors(methodsFor)
})
afterEach(async () => await test[Symbol.asyncDispose]())

describe('addresses that are taken', () => {
  it('says which gateway holds the port, and what to do', async () => {
    const second = openTestDoors(methodsFor, { port: test.port })
    await expect(second).rejects.toThrow(
      `Port ${test.port} is in use by trawl 9.9.9 (process ${process.pid}). Stop that, or choose another: trawl serve --listen 127.0.0.1:${test.port + 1}`,
    )
    await expect(second).rejects.toMatchObject({ kind: 'in-use' })
  })

  it.runIf(process.platform === 'linux')('says which other process holds the port', async () => {
    const squatter = createServer(answering('SSH-2.0-no\r\n')).listen(0, '127.0.0.1')
    await once(squatter, 'listening')
    const address = squatter.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    await expect(openTestDoors(methodsFor, { port })).rejects.toThrow(
      new RegExp(`Port ${port} is in use by process ${process.pid} \\(.+\\)\\. Stop that`),
    )
    squatter.close()
    await once(squatter, 'close')
  })

  it('says which gateway holds the socket, leaves it alone, and frees the port it had opened', async () => {
    await expect(openTestDoors(methodsFor, { dataDir: test.dataDir })).rejects.toThrow(
      `the socket ${test.socketPath} is held by trawl 9.9.9 (process ${process.pid})`,
    )
    expect((await send(unix(), { body: call('echo') })).status).toBe(200)
  })

  it('says so where another program holds the socket', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'trawl-doors-'))
    const squatter = createServer(answering('no http')).listen(join(dataDir, 'gateway.sock'))
    await once(squatter, 'listening')
    await expect(openTestDoors(methodsFor, { dataDir })).rejects.toThrow('is held by another program')
    squatter.close()
    await once(squatter, 'close')
    await rm(dataDir, { recursive: true })
  })

  it('replaces the socket file of a gateway that died', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'trawl-doors-'))
    const socketPath = join(dataDir, 'gateway.sock')
    await leaveStaleSocket(socketPath)
    expect(statSync(socketPath).isSocket()).toBe(true)
    await using revived = await openTestDoors(methodsFor, { dataDir })
    expect((await send({ socketPath: revived.socketPath }, { body: call('echo') })).status).toBe(200)
  })

  it('never removes what is no socket', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'trawl-doors-'))
    await writeFile(join(dataDir, 'gateway.sock'), 'mine')
    await expect(openTestDoors(methodsFor, { dataDir })).rejects.toThrow('is no socket')
    expect(existsSync(join(dataDir, 'gateway.sock'))).toBe(true)
    await rm(dataDir, { recursive: true })
  })

  it('says so when the path is too long for a socket', async () => {
    const dataDir = join(test.dataDir, 'x'.repeat(100))
    await expect(openTestDoors(methodsFor, { dataDir })).rejects.toThrow(
      'Name a shorter directory in TRAWL_DATA_DIR',
    )
  })
})

/** A program that is no gateway: says its piece to whoever connects, and hangs up. */
function answering(text: string): (socket: Socket) => void {
  return (socket) =>
    socket
      .on('error', () => {})
      .resume()
      .end(text)
}

/** A socket file nobody listens on, as `kill -9` leaves it: bound by a process that ends at once. */
async function leaveStaleSocket(socketPath: string): Promise<void> {
  const script = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
  await once(spawn(process.execPath, ['-e', script, socketPath], { stdio: 'ignore' }), 'exit')
}
