import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import {
  type ReadSessionResponse,
  readSessionRequestSchema,
  readSessionResponseSchema,
} from '../../protocol/session-search/read-session.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { createIndexFixture, type IndexFixture } from './index-fixture.ts'
import { readSession } from './read-session.ts'
import { results } from './search-fixture.ts'

type Page = Extract<ReadSessionResponse, { kind: 'messages' }>
const blockUnits = 1_048_576

function read(db: SqlDatabase, fields: object): ReadSessionResponse {
  const request = readSessionRequestSchema.parse({ agent: 'claude', sessionId: 'a', ...fields })
  return readSessionResponseSchema.parse(readSession(db, request))
}

function page(db: SqlDatabase, fields: object): Page {
  const answer = read(db, fields)
  if (answer.kind !== 'messages') throw new Error(answer.kind)
  return answer
}

/** A session of its own messages and two subagents'. */
function createFamily(own: number, first: number, second: number): IndexFixture {
  const texts = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name} ${n}`)
  const index = createIndexFixture([{ sessionId: 'a', messages: texts('own', own) }])
  index.addPart(1, texts('first', first))
  index.addPart(1, texts('second', second))
  return index
}

const indexesOf = ({ messages }: Page) => messages.map(({ index }) => index)

describe('readSession', () => {
  it("gives the messages of subagents behind the session's own, each in a block of its own", () => {
    using index = createFamily(2, 2, 1)
    const whole = page(index.db, {})
    expect(whole.messages.map(({ index: at, text }) => [at, text])).toEqual([
      [0, 'own 0'],
      [1, 'own 1'],
      [blockUnits, 'first 0'],
      [blockUnits + 1, 'first 1'],
      [2 * blockUnits, 'second 0'],
    ])
    expect(whole.session.messageCount).toBe(5)
    expect(whole.page).toMatchObject({ hasMore: false, cursor: null, previousCursor: null })
  })

  it("opens around the message that a hit shows, a subagent's too", () => {
    using index = createFamily(40, 40, 40)
    const [hit] = results(index.db, { query: '"second 17"' }).hits
    expect(hit?.evidence?.messageIndex).toBe(2 * blockUnits + 17)
    const around = page(index.db, { around: hit?.evidence?.messageIndex, limit: 5 })
    expect(around.messages.map(({ text }) => text)).toEqual([15, 16, 17, 18, 19].map((n) => `second ${n}`))
  })

  it('keeps every number where another file of the session grows', () => {
    using index = createFamily(2, 2, 2)
    const before = page(index.db, { around: blockUnits + 1, limit: 1 }).messages
    index.append(1, ['own 2'])
    index.addPart(1, ['third 0'])
    expect(page(index.db, { around: blockUnits + 1, limit: 1 }).messages).toEqual(before)
  })

  it('pages both ways from anywhere: every message once, in order', () => {
    fc.assert(
      fc.property(
        fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9)),
        fc.integer({ min: 1, max: 7 }),
        fc.oneof(
          fc.nat(12),
          fc.nat(12).map((n) => blockUnits + n),
          fc.nat(12).map((n) => 2 * blockUnits + n),
        ),
        (counts, limit, around) => {
          using index = createFamily(...counts)
          const all = indexesOf(page(index.db, { limit: 200 }))
          const middle = page(index.db, { around, limit })
          expect(middle.messages.length).toBe(Math.min(limit, all.length))
          if (all.includes(around)) expect(indexesOf(middle)).toContain(around)
          const before: number[] = []
          for (let at = middle; at.page.previousCursor !== null; ) {
            at = page(index.db, { cursor: at.page.previousCursor, limit })
            before.unshift(...indexesOf(at))
          }
          const after: number[] = []
          for (let at = middle; at.page.cursor !== null; ) {
            at = page(index.db, { cursor: at.page.cursor, limit })
            after.push(...indexesOf(at))
          }
          expect([...before, ...indexesOf(middle), ...after]).toEqual(all)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('refuses a cursor of a transcript that was read anew since, and one that is none', () => {
    using index = createFamily(5, 0, 0)
    const { cursor } = page(index.db, { limit: 2 }).page
    index.db.prepare("UPDATE files SET rewrites = rewrites + 1 WHERE kind = 'session'").run()
    expect(read(index.db, { cursor })).toEqual({ kind: 'stale-cursor' })
    for (const wrong of ['', 'x', '!', Buffer.from('["v",-1]').toString('base64url')])
      expect(read(index.db, { cursor: wrong })).toEqual({ kind: 'malformed-cursor' })
  })

  it('says of the session what a hit says, and gives the resume command only beside a transcript that is there', () => {
    const facts = {
      messages: ['one'],
      cwd: '/srv/app',
      branch: 'main',
      updatedAtMs: 0,
      resumeCommand: 'go on',
    }
    using index = createIndexFixture([
      { sessionId: 'a', ...facts },
      { sessionId: 'b', ...facts, fileState: 'failed' },
    ])
    const shown = { cwd: '/srv/app', branch: 'main', updatedAt: '1970-01-01T00:00:00.000Z', messageCount: 1 }
    expect(page(index.db, {}).session).toMatchObject({ ...shown, sessionId: 'a', resumeCommand: 'go on' })
    const lost = page(index.db, { sessionId: 'b' }).session
    expect(lost).toMatchObject({ ...shown, sessionId: 'b' })
    expect(lost).not.toHaveProperty('resumeCommand')
  })

  it('knows a session by its subagents alone, and no other', () => {
    using index = createIndexFixture([{ sessionId: 'a', fileState: null }])
    expect(() => read(index.db, {})).toThrow(TrawlError)
    index.addPart(1, ['alone'])
    expect(page(index.db, {}).messages).toMatchObject([{ index: blockUnits, text: 'alone' }])
    expect(() => read(index.db, { sessionId: 'b' })).toThrow(TrawlError)
  })
})
