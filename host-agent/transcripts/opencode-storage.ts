/**
 * The folders in which OpenCode and its kin kept their sessions before they had a database: below `storage/`,
 * `session/<project>/<id>.json`, `message/<session>/*.json` and `part/<message>/*.json`.
 */
import { rootOf } from './database-rows.ts'
import { jsonManifest, jsonObject } from './json-document.ts'
import { asRecord, type JsonRecord, recordAt, stringAt } from './json-record.ts'
import { neighbourPath } from './neighbour-path.ts'
import type { OpencodeKin } from './opencode-family.ts'
import { partsBefore, revertOf, tellOpencodeMessage } from './opencode-parts.ts'
import { ownTitle } from './opencode-titles.ts'
import type { Beside, DocumentFormat, TranscriptFile } from './reader.ts'
import { recordedPath } from './session-names.ts'
import { nothingTold, type Telling, toldWhole } from './telling.ts'
import { timestampMs } from './timestamps.ts'

export interface OpencodeStorage extends OpencodeKin {
  /** Whether a file beside `storage/` is the database that came after it. */
  isDatabase(name: string): boolean
}

/** Whether a path below the agent's data folder is a session's document. */
export function isStoredSession(relativePath: string): boolean {
  return storedSession.test(relativePath)
}

/** Whether a folder below the agent's data folder leads to sessions' documents. */
export function leadsToStoredSessions(relativePath: string): boolean {
  return relativePath === 'storage' || /^storage\/session(?:\/[^/]+)?$/.test(relativePath)
}

/** The folder that gets a new file with each message of the session. */
export function messageFolder({ path, relativePath }: TranscriptFile): string {
  return neighbourPath(path, '..', '..', 'message', storedSession.exec(relativePath)?.[1] ?? '')
}

/** A session that has moved into the database is read there, and here no more. */
export function opencodeStorage(kin: OpencodeStorage): DocumentFormat {
  return {
    kind: 'document',
    read(file, beside, bytes) {
      const session = jsonObject(bytes)
      const id = stringAt(session, 'id') ?? storedSession.exec(file.relativePath)?.[1] ?? ''
      if (!isPlainName(id)) throw new Error('The session has no usable id.')
      if (isInDatabase(kin, file, beside, id)) return nothingTold(kin.label, file, id)
      const parent = stringAt(session, 'parentID')
      const root = parent === null ? id : rootOf(parent, (child) => parentIn(file, beside, child))
      const identity = {
        sessionId: root,
        title: ownTitle(session.title),
        cwd: recordedPath(session.directory),
        createdAtMs: timestampMs(recordAt(session, 'time').created),
        updatedAtMs: timestampMs(recordAt(session, 'time').updated),
        kind: parent === null ? 'session' : 'part',
        ...(kin.invocation === undefined ? {} : { invocation: kin.invocation }),
      } as const
      return toldWhole(
        kin.label,
        file,
        (tell) => {
          tellStored(tell, file, beside, id, session)
          return identity
        },
        parent !== null,
      )
    },
  }
}

const storedSession = /^storage\/session\/[^/]+\/([^/]+)\.json$/

/** Ids become names of files here: none may lead elsewhere. */
function isPlainName(id: string): boolean {
  return /^[\w-][\w.-]*$/.test(id)
}

function isInDatabase(kin: OpencodeStorage, file: TranscriptFile, beside: Beside, id: string): boolean {
  const upToData = ['..', '..', '..']
  return beside
    .list(neighbourPath(file.path, ...upToData))
    .filter(kin.isDatabase)
    .map((name) => neighbourPath(file.path, ...upToData, name))
    .some((path) => beside.rows(path, 'SELECT 1 FROM session WHERE id = ?', id).length > 0)
}

function parentIn(file: TranscriptFile, beside: Beside, id: string): string | null {
  if (!isPlainName(id)) return null
  const parent = readRecord(beside, neighbourPath(file.path, `${id}.json`))
  return parent === null ? null : stringAt(parent, 'parentID')
}

function readRecord(beside: Beside, path: string): JsonRecord | null {
  const text = beside.text(path)
  return text === null ? null : asRecord(jsonManifest(text))
}

function tellStored(
  tell: Telling,
  file: TranscriptFile,
  beside: Beside,
  sessionId: string,
  session: JsonRecord,
): void {
  const recordsIn = (...folder: string[]): JsonRecord[] => recordsBeside(tell, file, beside, folder)
  const messages = recordsIn('message', sessionId)
    .map((message) => ({ message, id: stringAt(message, 'id') ?? '', at: createdAt(message) }))
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  const ids = messages.map(({ id }) => id).filter(isPlainName)
  const parts = new Map(ids.map((id) => [id, recordsIn('part', id)]))
  // The first versions kept all parts in one folder, each naming its message.
  if (messages.length > 0 && [...parts.values()].every((found) => found.length === 0))
    for (const part of recordsIn('part')) parts.get(stringAt(part, 'messageID') ?? '')?.push(part)
  const revert = revertOf(session.revert)
  for (const { message, id } of messages) {
    const counted = partsBefore(revert, id, parts.get(id) ?? [])
    tellOpencodeMessage(tell, message, counted.parts)
    if (counted.isLast) return
  }
}

/** The documents of a folder below `storage/` in the order of their names, which is that of their making. */
function recordsBeside(
  tell: Telling,
  { path }: TranscriptFile,
  beside: Beside,
  folder: readonly string[],
): JsonRecord[] {
  const at = ['..', '..', ...folder]
  return beside.list(neighbourPath(path, ...at)).flatMap((name) => {
    if (!name.endsWith('.json')) return []
    const record = readRecord(beside, neighbourPath(path, ...at, name))
    if (record === null || Object.keys(record).length === 0) {
      tell.bad()
      return []
    }
    return [record]
  })
}

function createdAt(message: JsonRecord): number {
  return timestampMs(recordAt(message, 'time').created) ?? 0
}
