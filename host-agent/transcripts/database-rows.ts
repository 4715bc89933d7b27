/** Looks into other programs' databases, whose columns come and go from one version to the next. */
import type { JsonRecord } from './json-record.ts'
import type { SourceDatabase } from './reader.ts'

/** Rows read at a time, so that no read is long. */
const rowsPerRead = 64

/**
 * The columns to select, each under its own name and NULL where the table has none of that name. Integers come as
 * floating-point numbers, for some drivers refuse those beyond 2^53; blobs come as text.
 */
export function selected(database: SourceDatabase, table: string, wanted: readonly string[]): string {
  const present = database.columns(table)
  return wanted
    .map((column) =>
      present.has(column) ? `${safely(`${table}.${column}`)} AS ${column}` : `NULL AS ${column}`,
    )
    .join(', ')
}

/** The expression's value as something every driver can hand out. */
export function safely(expression: string): string {
  return `CASE typeof(${expression}) WHEN 'integer' THEN CAST(${expression} AS REAL) WHEN 'blob' THEN CAST(${expression} AS TEXT) ELSE ${expression} END`
}

/** @throws Error naming what is missing: the agent's new version keeps its sessions otherwise. */
export function requireColumns(database: SourceDatabase, table: string, needed: readonly string[]): void {
  const present = database.columns(table)
  const missing = needed.filter((column) => !present.has(column))
  if (missing.length > 0)
    throw new Error(
      `keeps its sessions in an unknown way (no ${missing.map((column) => `${table}.${column}`).join(', ')})`,
    )
}

/**
 * The rows with these ids, in the order of the ids, a few at a time. What has been deleted meanwhile is passed over.
 * @param columns as `selected` makes them; the column `id` is added.
 */
export function* rowsInOrder(
  database: SourceDatabase,
  table: string,
  columns: string,
  ids: readonly (string | number)[],
  idColumn = 'id',
): Generator<JsonRecord, void, undefined> {
  const idOf = `${table}.${idColumn}`
  for (const some of chunks(ids)) {
    const rows = database.rows(
      `SELECT ${safely(idOf)} AS id, ${columns} FROM ${table} WHERE ${idOf} IN (${placesFor(some)})`,
      ...some,
    )
    const byId = new Map(rows.map((row) => [String(row.id), row]))
    for (const id of some) {
      const row = byId.get(String(id))
      if (row !== undefined) yield row
    }
  }
}

export function* chunks<T>(values: readonly T[]): Generator<readonly T[], void, undefined> {
  for (let at = 0; at < values.length; at += rowsPerRead) yield values.slice(at, at + rowsPerRead)
}

/** `?, ?, ?` */
export function placesFor(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ')
}

/** The ids a query gave, for `rowsInOrder`. */
export function idsOf(rows: readonly JsonRecord[]): (string | number)[] {
  return rows.flatMap(({ id }) => (typeof id === 'string' || typeof id === 'number' ? [id] : []))
}

/** One number of several, which is another one, as a rule, when any of them is. */
export function mixed(...values: readonly number[]): number {
  return values.reduce((mix, value) => (mix * 31 + value) % 2 ** 47, 7)
}

/**
 * Follows parents up to a session that has none, however they were linked: a circle, or a parent that is gone, ends it.
 * @param parentOf null for a session without a parent.
 * @returns the topmost session, which is `id` itself where it has no parent.
 */
export function rootOf(id: string, parentOf: (id: string) => string | null): string {
  const seen = new Set([id])
  let root = id
  for (let parent = parentOf(root); parent !== null && !seen.has(parent); parent = parentOf(root)) {
    seen.add(parent)
    root = parent
  }
  return root
}
