/** Which sessions a query may find at all: its filters and operators as one SQL condition, applied before any limit. */
import type { SearchFilters } from '../../protocol/session-search/request.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { numberIn, textIn, textOrNull } from '../index/read.ts'
import { hasOperators, type QueryOperators } from './query-text.ts'
import { type SqlCondition, scopePathsCondition } from './scope-paths.ts'

/** @returns a condition over the session `s` [request.filters]. An empty list of agents is no filter. */
export function sessionFilter(
  db: SqlDatabase,
  filters: SearchFilters,
  operators: QueryOperators,
  platform: NodeJS.Platform,
): SqlCondition {
  const conditions: SqlCondition[] = []
  if (filters.agents !== undefined && filters.agents.length > 0) {
    conditions.push({
      sql: 's.agent IN (SELECT value FROM json_each(?))',
      values: [JSON.stringify(filters.agents)],
    })
  }
  if (filters.since !== undefined) {
    conditions.push({ sql: 's.updated_at_ms >= ?', values: [Date.parse(filters.since)] })
  }
  if (filters.scopePaths !== undefined) conditions.push(scopePathsCondition(filters.scopePaths, platform))
  if (hasOperators(operators)) {
    const ids = sessionsOfOperators(db, operators)
    conditions.push({ sql: 's.id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(ids)] })
  }
  return {
    sql: ['1', ...conditions.map((condition) => condition.sql)].join(' AND '),
    values: conditions.flatMap((condition) => condition.values),
  }
}

/** Folded as Unicode folds, which SQL's `lower` does not; there are thousands of sessions, not millions. */
function sessionsOfOperators(db: SqlDatabase, operators: QueryOperators): number[] {
  const repo = operators.repo.map(folded)
  const path = operators.path.map(folded)
  const ids: number[] = []
  for (const row of db.prepare('SELECT id, cwd, file_path FROM sessions').iterate()) {
    const cwd = folded(textOrNull(row, 'cwd') ?? '')
    const place = lastTwoParts(cwd)
    const paths = `${cwd} ${folded(textIn(row, 'file_path'))}`
    if (repo.every((value) => place.includes(value)) && path.every((value) => paths.includes(value))) {
      ids.push(numberIn(row, 'id'))
    }
  }
  return ids
}

function lastTwoParts(cwd: string): string {
  return cwd
    .split(/[/\\]+/)
    .filter((part) => part !== '')
    .slice(-2)
    .join('/')
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase()
}
