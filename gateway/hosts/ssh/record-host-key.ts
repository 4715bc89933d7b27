/** Puts a newly met server's key on record, for StrictHostKeyChecking=accept-new and no. */
import { randomBytes as systemRandomBytes } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type HostKeyRecord, knownHostsLine } from './host-key-check.ts'
import { hashKnownHostName } from './known-hosts.ts'

/** Salt for a hashed name. */
type RandomBytes = (size: number) => Buffer

/** Appends one line, on a line of its own even where the last one has no end. Rejects with the file system's error. */
export async function recordHostKey(
  record: HostKeyRecord & { readonly randomBytes?: RandomBytes },
): Promise<void> {
  const { file, key, isHashed, randomBytes = systemRandomBytes } = record
  const name = isHashed ? hashKnownHostName(record.name, randomBytes(20)) : record.name
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const handle = await open(file, 'a+', 0o600)
  try {
    const { size } = await handle.stat()
    const last = Buffer.alloc(1)
    if (size > 0) await handle.read(last, 0, 1, size - 1)
    const isOpenLine = size > 0 && last[0] !== 0x0a
    await handle.write(`${isOpenLine ? '\n' : ''}${knownHostsLine(name, key)}\n`)
  } finally {
    await handle.close()
  }
}
