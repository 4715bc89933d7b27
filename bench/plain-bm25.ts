/** What the relevance is held against: FTS5's bm25 as it comes, over the same index. */
import type { SqlDatabase } from '../host-agent/index/driver/driver.ts'
import { numberIn } from '../host-agent/index/read.ts'
import { sessionShift } from '../host-agent/index/schema.ts'
import { tokenize } from '../host-agent/index/tokens.ts'

/** The query's terms, any of them, default weights, each session by its best row. @returns session row ids, best first. */
export function plainBm25(db: SqlDatabase, query: string, limit: number): number[] {
  const terms = [...new Set(tokenize(query).map(({ term }) => term))]
  if (terms.length === 0) return []
  return db
    .prepare(`
      WITH scored AS MATERIALIZED (
        SELECT rowid AS id, bm25(messages_fts) AS score FROM messages_fts WHERE messages_fts MATCH ?
      )
      SELECT id >> ${sessionShift} AS session, min(score) AS best FROM scored GROUP BY 1 ORDER BY best, session LIMIT ?`)
    .all(terms.map((term) => `"${term}"`).join(' OR '), limit)
    .map((row) => numberIn(row, 'session'))
}
