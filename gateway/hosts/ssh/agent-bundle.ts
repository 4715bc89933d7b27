/** The agent as one file, ready to be pushed to a host: read once, and packed only when some host wants it. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { unreachable } from './ssh-errors.ts'

export interface AgentBundle {
  /** What the file is called on a host: 32 hexadecimal digits of its content's SHA-256. */
  hash(): Promise<string>
  /** As it is sent: the length of the gzip data in four bytes, big-endian, and the data. */
  packed(): Promise<Buffer>
}

/** @throws TrawlError `unreachable` / `not-configured`, from its methods, when the file cannot be read. */
export function openAgentBundle(file: string): AgentBundle {
  let reading: Promise<Buffer> | null = null
  let packing: Promise<Buffer> | null = null
  const content = () => {
    reading ??= readFile(file).catch((cause: unknown) => {
      reading = null
      throw unreachable(
        'not-configured',
        `The agent that is sent to SSH hosts is missing here (${file}): run npm run build, or set ssh.install = "never".`,
        cause,
      )
    })
    return reading
  }
  return {
    hash: async () => hashOf(await content()),
    async packed() {
      packing ??= content()
        .then((bytes) => promisify(gzip)(bytes, { level: 9 }))
        .then(withLength)
      return await packing.finally(() => {
        packing = null
      })
    },
  }
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32)
}

function withLength(data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  return Buffer.concat([length, data])
}
