/** The program of many hosts as a child of the soak: orders that are waited for until they are carried out. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { SoakOrder } from './soak-hosts.ts'

export interface SoakHosts extends AsyncDisposable {
  url(name: string): string
  /** Resolves once the host has done it. */
  order(name: string, what: SoakOrder['do']): Promise<void>
}

export async function startSoakHosts(program: string): Promise<SoakHosts> {
  const child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const waiting = new Map<number, () => void>()
  let nextId = 1
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the hosts ended')))
    child.on('message', (message: { port?: number; id?: number }) => {
      if (message.port !== undefined) resolve(message.port)
      else if (message.id !== undefined) waiting.get(message.id)?.()
    })
  })
  return {
    url: (name) => `ws://127.0.0.1:${port}/hosts/${name}`,
    async order(name, what) {
      const id = nextId++
      const done = new Promise<void>((resolve) => waiting.set(id, resolve))
      child.send({ id, name, do: what } satisfies SoakOrder)
      await done
      waiting.delete(id)
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
