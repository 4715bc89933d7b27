/** Crush: a database in each project's folder, and a registry that names the projects. */
import { posix, win32 } from 'node:path'
import { tellCrushMessage } from './crush-messages.ts'
import { idsOf, requireColumns, rootOf, rowsInOrder, safely, selected } from './database-rows.ts'
import { jsonManifest } from './json-document.ts'
import { asRecord, type JsonRecord, stringAt } from './json-record.ts'
import type {
  AgentEnvironment,
  DatabaseFormat,
  SourceDatabase,
  TranscriptFile,
  TranscriptReader,
  TranscriptRoot,
} from './reader.ts'
import { shellOfPath } from './resume-command.ts'
import { recordedPath } from './session-names.ts'
import { type Telling, toldWhole } from './telling.ts'
import { timestampMs } from './timestamps.ts'

const label = 'Crush'
/** Of a project that says nothing else. */
const dataFolderName = '.crush'

const database: DatabaseFormat = {
  kind: 'database',
  sessions(source) {
    if (!source.columns('sessions').has('id')) return []
    requireColumns(source, 'sessions', ['updated_at'])
    requireColumns(source, 'messages', ['id', 'session_id', 'parts'])
    // A message is written over while it comes in, which its session's row does not show.
    const newest = source.columns('messages').has('updated_at') ? safely('max(updated_at)') : 'NULL'
    return source
      .rows(
        `SELECT sessions.id, ${safely('sessions.updated_at')} AS updated_at, CAST(coalesce(told.n, 0) AS REAL) AS n,
          told.newest FROM sessions LEFT JOIN
          (SELECT session_id, count(*) AS n, ${newest} AS newest FROM messages GROUP BY session_id) AS told
          ON told.session_id = sessions.id`,
      )
      .flatMap(({ id, updated_at, n, newest: newestAt }) =>
        typeof id === 'string' && id !== ''
          ? [
              {
                key: id,
                updatedAtMs: Math.max(timestampMs(updated_at) ?? 0, timestampMs(newestAt) ?? 0),
                size: Number(n),
              },
            ]
          : [],
      )
  },
  read(file, _beside, source) {
    const id = file.sessionKey ?? ''
    const session = sessionRow(source, id)
    if (session === null) throw new Error('The session is no longer in the database.')
    const isPart = stringAt(session, 'parent_session_id') !== null
    const parentOf = (child: string) => stringAt(sessionRow(source, child) ?? {}, 'parent_session_id')
    return toldWhole(
      label,
      file,
      (tell) => {
        tellMessages(tell, source, id)
        return {
          sessionId: isPart ? rootOf(id, parentOf) : id,
          title: ownTitle(session),
          cwd: projectOf(file),
          createdAtMs: timestampMs(session.created_at),
          updatedAtMs: timestampMs(session.updated_at),
          kind: isPart ? 'part' : 'session',
          invocation: 'crush --session',
        }
      },
      isPart,
    )
  },
}

export function crushReader(): TranscriptReader {
  return {
    agent: 'crush',
    label,
    notes: {
      evidence: 'documentation',
      variables: ['CRUSH_GLOBAL_DATA', 'XDG_DATA_HOME', 'LOCALAPPDATA'],
      resume: 'crush --session ID',
      remark: 'Projects as its registry (projects.json) names them; subagents belong to their session.',
    },
    roots(environment) {
      const registry = registryFolder(environment)
      // The registry's own folder is the one root there always is.
      return [{ path: registry }, ...projectRoots(environment, registry)]
    },
    enters: () => false,
    formatOf: (relativePath) => (relativePath === 'crush.db' ? database : null),
  }
}

function registryFolder(environment: AgentEnvironment): string {
  const { homeDir, platform, env } = environment
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix
  const absolute = (path: string | undefined) => path !== undefined && isAbsolute(path)
  if (env.CRUSH_GLOBAL_DATA !== undefined && absolute(env.CRUSH_GLOBAL_DATA)) return env.CRUSH_GLOBAL_DATA
  const base = env.XDG_DATA_HOME ?? (platform === 'win32' ? env.LOCALAPPDATA : undefined)
  if (base !== undefined && absolute(base)) return join(base, 'crush')
  return platform === 'win32'
    ? join(homeDir, 'AppData', 'Local', 'crush')
    : join(homeDir, '.local', 'share', 'crush')
}

/** `{projects: [{path, data_dir}]}`: the data folder is absolute, or lies in the project. */
function projectRoots({ platform, textOf }: AgentEnvironment, registry: string): TranscriptRoot[] {
  const { isAbsolute, join, normalize } = platform === 'win32' ? win32 : posix
  const text = textOf?.(join(registry, 'projects.json')) ?? null
  if (text === null) return []
  const { projects } = jsonManifest(text)
  // Older versions keyed the projects.
  const listed = Array.isArray(projects) ? projects : Object.values(asRecord(projects) ?? jsonManifest(text))
  return listed.flatMap((value) => {
    const project = asRecord(value) ?? {}
    const path = stringAt(project, 'path')
    if (path === null || !isAbsolute(path)) return []
    const data = stringAt(project, 'data_dir') ?? dataFolderName
    return [{ path: isAbsolute(data) ? normalize(data) : join(path, data), projectDir: path }]
  })
}

/** As the registry says; of a root that is configured, the folder that holds the project's data folder. */
function projectOf({ root }: TranscriptFile): string | null {
  if (root.projectDir !== undefined) return root.projectDir
  const { basename, dirname } = shellOfPath(root.path) === 'windows' ? win32 : posix
  return basename(root.path) === dataFolderName ? recordedPath(dirname(root.path)) : null
}

function ownTitle(session: JsonRecord): string | null {
  const title = stringAt(session, 'title')
  return title === null || placeholders.has(title) ? null : title
}

const placeholders: ReadonlySet<string> = new Set(['New Session', 'Untitled Session'])
const sessionColumns = ['parent_session_id', 'title', 'created_at', 'updated_at']

function sessionRow(source: SourceDatabase, id: string): JsonRecord | null {
  const columns = selected(source, 'sessions', sessionColumns)
  return source.rows(`SELECT ${columns} FROM sessions WHERE id = ?`, id)[0] ?? null
}

/** Pictures stand in the parts as base64. */
const partsColumn = `CASE WHEN length(messages.parts) > 100000 AND json_valid(messages.parts) THEN
  (SELECT json_group_array(CASE WHEN json_extract(part.value, '$.type') IN ('binary', 'image_url') THEN json('{"type":"binary"}')
    ELSE json_remove(part.value, '$.data.data') END) FROM json_each(messages.parts) AS part)
  ELSE ${safely('messages.parts')} END AS parts`

function tellMessages(tell: Telling, source: SourceDatabase, sessionId: string): void {
  // Within a second, in the order of their making.
  const ids = idsOf(
    source.rows('SELECT id FROM messages WHERE session_id = ? ORDER BY created_at, rowid', sessionId),
  )
  const columns = `${selected(source, 'messages', ['role', 'is_summary_message', 'created_at'])}, ${partsColumn}`
  for (const row of rowsInOrder(source, 'messages', columns, ids)) tellCrushMessage(tell, row)
}
