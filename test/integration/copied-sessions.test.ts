import { describe, expect, it } from 'vitest'
import type { SqlDatabase } from '../../host-agent/index/driver/driver.ts'
import { results } from '../../host-agent/search/search-fixture.ts'
import { transcriptReaders } from '../../host-agent/transcripts/readers.ts'
import { assistant, startMs, textBlock, user } from '../helpers/claude-records.ts'
import { createIndexingDesk, type IndexingDesk } from '../helpers/indexing-desk.ts'

const projects = '.claude/projects/-home-dev-app'
const first = 'aaaaaaaa-0000-4000-8000-000000000001'
const fork = 'aaaaaaaa-0000-4000-8000-000000000002'

/** What was said before the fork; Claude Code writes it again, times and all, under the fork's own id. */
const chain = (sessionId: string) => [
  user(0, 'why does the zeppelin drift?', { sessionId }),
  assistant(5, 'msg_1', [textBlock('The zeppelin drifts with the wind.')], { sessionId }),
]

function writeSession(
  desk: IndexingDesk,
  sessionId: string,
  records: readonly object[],
  mtimeSec: number,
): void {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('')
  desk.write(`${projects}/${sessionId}.jsonl`, lines, mtimeSec)
}

async function indexed(desk: IndexingDesk): Promise<SqlDatabase> {
  const environment = { homeDir: desk.home, platform: 'linux', env: {} } as const
  await using indexer = desk.indexer({ readers: transcriptReaders(), environment })
  await indexer.start()
  await indexer.reconcile({ full: true })
  return desk.openIndex()
}

const found = (db: SqlDatabase, query: string) =>
  results(db, { query }).hits.map((hit) => [hit.sessionId, hit.duplicateCount ?? 0])

describe('copies of a session', () => {
  it('are folded into the one touched last, until one of them says something of its own', async () => {
    using desk = createIndexingDesk()
    writeSession(desk, first, chain(first), startMs / 1000)
    writeSession(
      desk,
      fork,
      [...chain(fork), user(60, 'moor it then', { sessionId: fork })],
      startMs / 1000 + 60,
    )
    {
      using db = await indexed(desk)
      expect(found(db, 'zeppelin')).toEqual([[fork, 1]])
      expect(found(db, '"moor it"')).toEqual([[fork, 0]])
    }
    const own = user(90, 'the zeppelin is home', { sessionId: first })
    writeSession(desk, first, [...chain(first), own], startMs / 1000 + 90)
    using db = await indexed(desk)
    expect(found(db, 'zeppelin home')).toEqual([[first, 0]])
    expect(found(db, 'zeppelin')).toEqual([[first, 1]])
  })

  it('are not made of two sessions that begin with the same words', async () => {
    using desk = createIndexingDesk()
    writeSession(desk, first, [user(0, 'run the zeppelin tests', { sessionId: first })], startMs / 1000)
    writeSession(desk, fork, [user(9, 'run the zeppelin tests', { sessionId: fork })], startMs / 1000)
    using db = await indexed(desk)
    expect(found(db, 'zeppelin').sort()).toEqual([
      [first, 0],
      [fork, 0],
    ])
  })

  it('are found by titles that follow a rename, and not after the session has gone', async () => {
    using desk = createIndexingDesk()
    const titled = (aiTitle: string) => [...chain(first), { type: 'ai-title', aiTitle, sessionId: first }]
    writeSession(desk, first, titled('Mooring mast of iron'), startMs / 1000)
    {
      using db = await indexed(desk)
      expect(found(db, 'mooring mast')).toEqual([[first, 0]])
    }
    writeSession(desk, first, titled('Hangar of glass'), startMs / 1000 + 9)
    using db = await indexed(desk)
    expect(found(db, 'hangar glass')).toEqual([[first, 0]])
    expect(found(db, 'mooring mast')).toEqual([])
    const titles = 'SELECT count(*) AS rows FROM titles_fts'
    db.prepare('DELETE FROM files').run()
    db.prepare('DELETE FROM sessions').run()
    expect(db.prepare(titles).get()).toEqual({ rows: 0 })
  })
})
