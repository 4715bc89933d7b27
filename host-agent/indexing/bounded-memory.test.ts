/** What a file of any size costs in memory. The files here are made up while they are read. */
import { describe, expect, it } from 'vitest'
import { accessTo, diskWith } from '../../test/helpers/indexing-desk.ts'
import { claudeReader } from '../transcripts/claude.ts'
import type { OpenFile } from './file-system.ts'
import { readTranscript } from './read-transcript.ts'

const mib = 1024 * 1024
const line = (content: string, uuid: string) =>
  `${JSON.stringify({ type: 'user', sessionId: 's', uuid, cwd: '/w', message: { role: 'user', content } })}\n`

/** `before`, then `bytes` times the letter x, then `after`. */
function fileOf(before: string, bytes: number, after: string): OpenFile {
  const [head, tail] = [Buffer.from(before), Buffer.from(after)]
  const sizeBytes = head.length + bytes + tail.length
  return {
    stamp: () => ({ device: 1, inode: 1, sizeBytes, mtimeMs: 1, beside: '' }),
    read(into, position) {
      const wanted = Math.min(into.length, sizeBytes - position)
      into.fill('x', 0, wanted)
      head.copy(into, 0, Math.min(position, head.length))
      const tailAt = head.length + bytes - position
      if (tailAt < wanted) tail.copy(into, Math.max(0, tailAt), Math.max(0, -tailAt))
      return wanted
    },
    close: () => undefined,
  }
}

/** Reads all of it. @returns the messages, and the most memory held beyond what was held before. */
function read(open: OpenFile) {
  const file = { root: { path: '/r' }, path: '/r/p/s.jsonl', relativePath: 'p/s.jsonl' }
  const access = accessTo(diskWith({ open: () => open }))
  const held = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers
  const before = held()
  let most = 0
  const measured: OpenFile = {
    ...open,
    read(into, position) {
      most = Math.max(most, held() - before)
      return open.read(into, position)
    },
  }
  let messages = 0
  let badLines = 0
  const request = { file, found: open.stamp(), expected: null, resume: null }
  for (const batch of readTranscript(
    { ...access, fileSystem: diskWith({ open: () => measured }) },
    claudeReader(),
    request,
  )) {
    messages = batch.messageCount
    badLines = batch.unread.badLines
  }
  return { messages, badLines, mostMiB: most / mib }
}

describe('readTranscript', () => {
  it('holds a small part of a line of 200 MB, counts it as unread, and reads on behind it', () => {
    const { messages, badLines, mostMiB } = read(
      fileOf(line('before', '1'), 200 * mib, `\n${line('after', '2')}`),
    )
    expect({ messages, badLines }).toEqual({ messages: 2, badLines: 1 })
    // Neither the line nor half of it; garbage that was not collected yet counts as well.
    expect(mostMiB).toBeLessThan(100)
  })

  it('holds a small part of a line of 4 GB without an end', () => {
    const { messages, mostMiB } = read(fileOf(line('before', '1'), 4096 * mib, ''))
    expect(messages).toBe(1)
    expect(mostMiB).toBeLessThan(100)
  }, 60_000)
})
