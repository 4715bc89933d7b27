/**
 * Cursor's desktop databases, as far as they may be looked into: named keys alone, for the same tables hold the
 * person's credentials. All SQL that touches these databases stands here.
 */
import { chunks, mixed, placesFor } from './database-rows.ts'
import { asRecord, type JsonRecord, jsonIn, parseRecord } from './json-record.ts'
import { neighbourPath } from './neighbour-path.ts'
import type { Beside, DatabaseSession, SourceDatabase } from './reader.ts'
import { timestampMs } from './timestamps.ts'

const composerPrefix = 'composerData:'
/** A conversation's own id; what has others in it is no conversation of its own. */
const composerId = /^[\w-]{1,100}$/

/** The value as JSON text; NULL where it is none. (Casts: a blob would be taken for SQLite's binary JSON.) */
const json = 'CASE WHEN json_valid(CAST(value AS TEXT)) THEN CAST(value AS TEXT) END'

/** Each conversation, in reads so short that Cursor never waits for one, whatever its journal. */
export function composers(database: SourceDatabase): DatabaseSession[] {
  if (!database.columns('cursorDiskKV').has('key')) return []
  const keys = database
    .rows(`SELECT key FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'`)
    .flatMap(({ key }) =>
      typeof key === 'string' && composerId.test(key.slice(composerPrefix.length)) ? [key] : [],
    )
  return [...chunks(keys)].flatMap((some) =>
    database
      .rows(
        `SELECT key, CAST(rowid AS REAL) AS row, CAST(length(value) AS REAL) AS length,
          CAST(json_extract(${json}, '$.lastUpdatedAt') AS REAL) AS updated,
          CAST(json_extract(${json}, '$.createdAt') AS REAL) AS created
          FROM cursorDiskKV WHERE key IN (${placesFor(some)})`,
        ...some,
      )
      .map(({ key, row, length, updated, created }) => ({
        key: String(key).slice(composerPrefix.length),
        updatedAtMs: timestampMs(updated) ?? timestampMs(created) ?? 0,
        // A value that is written anew gets a new row.
        size: mixed(Number(row), Number(length)),
      })),
  )
}

const composerFields = [
  'name',
  'createdAt',
  'lastUpdatedAt',
  'fullConversationHeadersOnly',
  'conversation',
  'workspaceIdentifier',
  'workspaceUri',
  'createdOnBranch',
  'subagentInfo',
]

/** What is known of a conversation; null where there is none of this id. @throws where it is no JSON. */
export function composer(database: SourceDatabase, id: string): JsonRecord | null {
  const [row] = database.rows(
    `SELECT ${fieldsOf(composerFields)} AS fields FROM cursorDiskKV WHERE key = ?`,
    `${composerPrefix}${id}`,
  )
  if (row === undefined) return null
  const fields = asRecord(jsonIn(row.fields))
  if (fields === null) throw new Error('The conversation is not complete JSON.')
  return fields
}

const bubbleFields = ['type', 'text', 'createdAt', 'timingInfo', 'thinking', 'toolFormerData', 'codeBlocks']

/** The messages with these ids in their order, null in the place of one that is missing or no JSON. */
export function* bubbles(
  database: SourceDatabase,
  id: string,
  bubbleIds: readonly string[],
): Generator<JsonRecord | null, void, undefined> {
  for (const some of chunks(bubbleIds.map((bubble) => `bubbleId:${id}:${bubble}`))) {
    const rows = database.rows(
      `SELECT key, ${fieldsOf(bubbleFields)} AS fields FROM cursorDiskKV WHERE key IN (${placesFor(some)})`,
      ...some,
    )
    const byKey = new Map(rows.map(({ key, fields }) => [key, parseRecord(String(fields))]))
    for (const key of some) yield byKey.get(key) ?? null
  }
}

/** The rest – the files a message came with, what the screen looked like – is large and stays where it is. */
function fieldsOf(names: readonly string[]): string {
  const members = names.map((name) => `'${name}', json_extract(${json}, '$.${name}')`)
  return `CASE WHEN json_valid(CAST(value AS TEXT)) THEN json_object(${members.join(', ')}) END`
}

/** The manifests of the workspaces, beside `databasePath`, in which the conversation was opened. */
export function workspaceManifestsWith(beside: Beside, databasePath: string, id: string): string[] {
  const workspaces = ['..', 'workspaceStorage']
  return beside
    .list(neighbourPath(databasePath, ...workspaces))
    .filter((name) => {
      const rows = beside.rows(
        neighbourPath(databasePath, ...workspaces, name, 'state.vscdb'),
        `SELECT 1 FROM ItemTable WHERE key IN ('composer.composerData', 'composer.composerHeaders')
          AND instr(CAST(value AS TEXT), ?) > 0`,
        `"${id}"`,
      )
      return rows.length > 0
    })
    .map((name) => neighbourPath(databasePath, ...workspaces, name, 'workspace.json'))
}
