/** Which sessions a query may find at all: its filters and operators as one SQL condition, applied before any limit. */
import type { SearchFilters } from '../../protocol/session-search/request.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { numberIn } from '../index/read.ts'
import { roleCodes, sessionShift } from '../index/schema.ts'
import { placeMatcher } from './place-operators.ts'
import { anyOf } from './plan.ts'
import { resolveDate } from './query-date.ts'
import { searchedRoles, type Values } from './query-operators.ts'
import { phraseOf, type QueryText } from './query-text.ts'
import { type SqlCondition, scopePathsCondition } from './scope-paths.ts'

export interface FilterContext {
  readonly platform: NodeJS.Platform
  /** Milliseconds since the epoch; what `7d` and `today` are counted from. */
  readonly nowMs: number
}

/** @returns a condition over the session `s` [request.filters]. An empty list of agents is no filter. */
export function sessionFilter(
  db: SqlDatabase,
  filters: SearchFilters,
  query: QueryText,
  { platform, nowMs }: FilterContext,
): SqlCondition {
  const { operators } = query
  const conditions: SqlCondition[] = []
  const agents = { any: filters.agents ?? [], none: [] }
  conditions.push(...agentConditions(agents), ...agentConditions(operators.agent))
  if (filters.since !== undefined) conditions.push(touchedSince(Date.parse(filters.since)))
  conditions.push(...timeConditions(query, nowMs))
  if (filters.scopePaths !== undefined) conditions.push(scopePathsCondition(filters.scopePaths, platform))
  const isThere = placeMatcher(operators, platform)
  if (isThere !== null) conditions.push(idIn(placedSessions(db, isThere)))
  if (query.without.length > 0) conditions.push(negated(idIn(sessionsHolding(db, query))))
  if (query.terms.length === 0) conditions.push(...roleConditions(query))
  return {
    sql: ['1', ...conditions.map((condition) => condition.sql)].join(' AND '),
    values: conditions.flatMap((condition) => condition.values),
  }
}

function agentConditions({ any, none }: Values<string>): SqlCondition[] {
  const isOneOf = (agents: readonly string[]) => ({
    sql: 's.agent IN (SELECT value FROM json_each(?))',
    values: [JSON.stringify(agents)],
  })
  return [...(any.length === 0 ? [] : [isOneOf(any)]), ...(none.length === 0 ? [] : [negated(isOneOf(none))])]
}

/** Of several instants the one that lets most through; of several that are left out each one. */
function timeConditions({ operators: { before, after } }: QueryText, nowMs: number): SqlCondition[] {
  const instants = (dates: typeof before.any) => dates.map((date) => resolveDate(date, nowMs))
  const conditions = [
    ...instants(before.none).map((ms) => negated(touchedBefore(ms))),
    ...instants(after.none).map((ms) => negated(touchedSince(ms))),
  ]
  if (before.any.length > 0) conditions.push(touchedBefore(Math.max(...instants(before.any))))
  if (after.any.length > 0) conditions.push(touchedSince(Math.min(...instants(after.any))))
  return conditions
}

function touchedBefore(ms: number): SqlCondition {
  return { sql: 's.updated_at_ms < ?', values: [ms] }
}

function touchedSince(ms: number): SqlCondition {
  return { sql: 's.updated_at_ms >= ?', values: [ms] }
}

/** `role:` without words: the session has a message of that role. */
function roleConditions({ operators }: QueryText): SqlCondition[] {
  const roles = searchedRoles(operators)
  if (roles === null) return []
  return [
    {
      sql: `EXISTS (SELECT 1 FROM messages m WHERE m.id >= (s.id << ${sessionShift})
        AND m.id < ((s.id + 1) << ${sessionShift}) AND m.role IN (SELECT value FROM json_each(?)))`,
      values: [JSON.stringify(roles.map((role) => roleCodes[role]))],
    },
  ]
}

function idIn(ids: readonly number[]): SqlCondition {
  return { sql: 's.id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(ids)] }
}

/** What cannot be told is not so: a session without a time was touched neither before nor after anything. */
function negated({ sql, values }: SqlCondition): SqlCondition {
  return { sql: `NOT coalesce(${sql}, 0)`, values }
}

/** There are thousands of sessions, not millions. */
function placedSessions(db: SqlDatabase, isThere: NonNullable<ReturnType<typeof placeMatcher>>): number[] {
  const ids: number[] = []
  for (const row of db.prepare('SELECT id, cwd, cwd_key, branch FROM sessions').iterate()) {
    if (isThere(row)) ids.push(numberIn(row, 'id'))
  }
  return ids
}

/** In any message or the title, whatever the scope and `role:` say: what is left out shall not be there. */
function sessionsHolding(db: SqlDatabase, { without }: QueryText): number[] {
  const match = anyOf(without.map(phraseOf))
  return db
    .prepare(`
      SELECT rowid >> ${sessionShift} AS id FROM messages_fts WHERE messages_fts MATCH ?
      UNION SELECT rowid FROM titles_fts WHERE titles_fts MATCH ?`)
    .all(match, match)
    .map((row) => numberIn(row, 'id'))
}
