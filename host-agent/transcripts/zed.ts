/** Zed's agent panel: one database, a packed JSON document for each thread in it. */
import { posix, win32 } from 'node:path'
import { mixed, requireColumns, rootOf, safely, selected } from './database-rows.ts'
import { jsonObject } from './json-document.ts'
import { asRecord, type JsonRecord, listAt, recordAt, stringAt } from './json-record.ts'
import { type Unpack, zstdUnpack } from './packed.ts'
import type { AgentEnvironment, DatabaseFormat, SourceDatabase, TranscriptReader } from './reader.ts'
import { recordedPath } from './session-names.ts'
import { nothingTold, toldWhole } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { tellZedMessage } from './zed-messages.ts'

const label = 'Zed'
/** As much as a document may have. */
const maxPackedBytes = 64 * 1024 * 1024

function threads(unpack: Unpack | null): DatabaseFormat {
  return {
    kind: 'database',
    sessions(source) {
      if (!source.columns('threads').has('id')) return []
      requireColumns(source, 'threads', ['updated_at', 'data'])
      return source
        .rows(
          `SELECT id, ${safely('updated_at')} AS updated_at, CAST(length(data) AS REAL) AS size FROM threads`,
        )
        .flatMap(({ id, updated_at, size }) =>
          typeof id === 'string' && id !== ''
            ? // A Node that can unpack what the last one could not reads everything anew.
              [
                {
                  key: id,
                  updatedAtMs: timestampMs(updated_at) ?? 0,
                  size: mixed(Number(size), unpack === null ? 0 : 1),
                },
              ]
            : [],
        )
    },
    read(file, _beside, source) {
      const id = file.sessionKey ?? ''
      const thread = threadRow(source, id)
      if (thread === null) throw new Error('The session is no longer in the database.')
      const bytes = documentBytes(source, id, thread, unpack)
      // Counted as one record that could not be read.
      if (bytes === null)
        return { ...nothingTold(label, file, id), unread: { badLines: 0, unknownRecords: 1 } }
      const document = jsonObject(bytes)
      const parent =
        stringAt(thread, 'parent_id') ?? stringAt(recordAt(document, 'subagent_context'), 'parent_thread_id')
      const parentOf = (child: string) => stringAt(threadRow(source, child) ?? {}, 'parent_id')
      const worktree =
        asRecord(listAt(recordAt(document, 'initial_project_snapshot'), 'worktree_snapshots')[0]) ?? {}
      return toldWhole(
        label,
        file,
        (tell) => {
          for (const message of listAt(document, 'messages')) tellZedMessage(tell, message)
          return {
            sessionId: parent === null ? id : rootOf(parent, parentOf),
            title: ownTitle(stringAt(thread, 'summary') ?? stringAt(document, 'title')),
            cwd: firstFolder(thread) ?? recordedPath(worktree.worktree_path),
            branch: stringAt(recordAt(worktree, 'git_state'), 'current_branch'),
            createdAtMs: timestampMs(thread.created_at),
            updatedAtMs: timestampMs(thread.updated_at),
            kind: parent === null ? 'session' : 'part',
          }
        },
        parent !== null,
      )
    },
  }
}

/** @param unpack null on a runtime that has no zstd. */
export function zedReader(unpack = zstdUnpack()): TranscriptReader {
  const database = threads(unpack)
  return {
    agent: 'zed',
    label,
    notes: {
      evidence: 'documentation',
      variables: ['XDG_DATA_HOME', 'LOCALAPPDATA'],
      resume: null,
      remark:
        'Packed with zstd, which Node reads from 22.15 on; counted as unread before. Messages have no times.',
    },
    roots: (environment) => dataFolders(environment).map((path) => ({ path })),
    enters: () => false,
    formatOf: (relativePath) => (relativePath === 'threads.db' ? database : null),
  }
}

function dataFolders({ homeDir, platform, env }: AgentEnvironment): string[] {
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix
  const configured = platform === 'win32' ? env.LOCALAPPDATA : env.XDG_DATA_HOME
  const base = configured !== undefined && isAbsolute(configured) ? configured : null
  if (platform === 'darwin') return [join(homeDir, 'Library', 'Application Support', 'Zed', 'threads')]
  if (platform === 'win32') return [join(base ?? join(homeDir, 'AppData', 'Local'), 'Zed', 'threads')]
  return [
    join(base ?? join(homeDir, '.local', 'share'), 'zed', 'threads'),
    join(homeDir, '.var', 'app', 'dev.zed.Zed', 'data', 'zed', 'threads'),
  ]
}

const threadColumns = [
  'summary',
  'updated_at',
  'created_at',
  'parent_id',
  'folder_paths',
  'folder_paths_order',
  'data_type',
]

function threadRow(source: SourceDatabase, id: string): JsonRecord | null {
  const columns = selected(source, 'threads', threadColumns)
  return source.rows(`SELECT ${columns} FROM threads WHERE id = ?`, id)[0] ?? null
}

/**
 * @returns null where it is packed and this Node cannot unpack it.
 * @throws for an unknown packing, and for a thread that is too large.
 */
function documentBytes(
  source: SourceDatabase,
  id: string,
  thread: JsonRecord,
  unpack: Unpack | null,
): Buffer | null {
  const [row] = source.rows(
    'SELECT CAST(data AS BLOB) AS data FROM threads WHERE id = ? AND length(data) <= ?',
    id,
    maxPackedBytes,
  )
  if (!(row?.data instanceof Uint8Array)) throw new Error('The thread is too large to be read at once.')
  const type = stringAt(thread, 'data_type') ?? 'json'
  if (type === 'zstd') return unpack === null ? null : unpack(row.data)
  if (type !== 'json') throw new Error('The thread is packed in an unknown way.')
  return Buffer.from(row.data.buffer, row.data.byteOffset, row.data.byteLength)
}

function ownTitle(title: string | null): string | null {
  return title === 'New Thread' ? null : title
}

/** Folders are listed by name; the order says at which place each was opened. */
function firstFolder(thread: JsonRecord): string | null {
  const folders = (stringAt(thread, 'folder_paths') ?? '').split('\n')
  const places = (stringAt(thread, 'folder_paths_order') ?? '').split(',')
  const first = places.indexOf('0')
  return recordedPath(folders[places.length === folders.length && first !== -1 ? first : 0])
}
