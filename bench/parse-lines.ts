/**
 * The floor under any indexer of JSON lines, as a program: reads every transcript below the folders it is given and
 * parses every line. Lines are cut from the bytes at 0x0A, which is half as dear as reading them as a text stream.
 */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'

const chunkBytes = 1 << 20
const newline = 0x0a

let lineCount = 0

function parseFile(path: string): void {
  const file = openSync(path, 'r')
  const chunk = Buffer.allocUnsafe(chunkBytes)
  let rest = Buffer.alloc(0)
  for (;;) {
    const length = readSync(file, chunk, 0, chunkBytes, null)
    if (length === 0) break
    const read = chunk.subarray(0, length)
    const bytes = rest.length === 0 ? read : Buffer.concat([rest, read])
    let start = 0
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      JSON.parse(bytes.toString('utf8', start, end))
      lineCount++
      start = end + 1
    }
    rest = Buffer.from(bytes.subarray(start))
  }
  closeSync(file)
}

for (const root of process.argv.slice(2))
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && entry.name.endsWith('.jsonl')) parseFile(join(entry.parentPath, entry.name))

process.stdout.write(`${lineCount}\n`)
