/** Finds out who listens on an address that is in use: another gateway says so itself; of others Linux may know. */
import { readdir, readFile, readlink } from 'node:fs/promises'
import { type ClientRequest, request } from 'node:http'
import * as z from 'zod'

const healthSchema = z.object({
  name: z.literal('trawl'),
  version: z.string().max(100),
  pid: z.number().int(),
})
export type HealthAnswer = z.output<typeof healthSchema>

const maxAnswerUnits = 10_000
const probeTimeoutMs = 1_000

/** Sends the request and reads a gateway's `/health` answer; null for any other answer, or none in its time. */
export function readHealth(probe: ClientRequest): Promise<HealthAnswer | null> {
  return new Promise((resolve) => {
    const giveUp = () => {
      resolve(null)
      probe.destroy()
    }
    probe.once('error', giveUp)
    probe.once('timeout', giveUp)
    probe.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
        if (text.length > maxAnswerUnits) giveUp()
      })
      response.once('error', giveUp)
      response.once('end', () => resolve(parseHealth(text)))
    })
    probe.end()
  })
}

function parseHealth(text: string): HealthAnswer | null {
  try {
    return healthSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** @returns for a sentence: `trawl 0.1.0 (process 123)`, `process 123 (node)`, or null where it cannot be told. */
export async function whoHoldsPort(host: string, port: number): Promise<string | null> {
  const health = await readHealth(request({ host, port, path: '/health', timeout: probeTimeoutMs }))
  if (health !== null) return `trawl ${health.version} (process ${health.pid})`
  try {
    return await processOnPort(port)
  } catch {
    return null
  }
}

/** By `/proc`: the listening socket's inode, then the process that has it open. Sees this user's processes only. */
async function processOnPort(port: number): Promise<string | null> {
  const inode = await listeningInode(port)
  if (inode === null) return null
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const files = await readdir(`/proc/${pid}/fd`).catch(() => [])
    for (const file of files) {
      const target = await readlink(`/proc/${pid}/fd/${file}`).catch(() => '')
      if (target !== `socket:[${inode}]`) continue
      const name = (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim()
      return name === '' ? `process ${pid}` : `process ${pid} (${name})`
    }
  }
  return null
}

const listenState = '0A'

async function listeningInode(port: number): Promise<string | null> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const rows = (await readFile(table, 'utf8').catch(() => '')).split('\n').slice(1)
    for (const row of rows) {
      const [, local, , state, , , , , , inode] = row.trim().split(/\s+/)
      if (local?.endsWith(suffix) && state === listenState && inode !== undefined) return inode
    }
  }
  return null
}
