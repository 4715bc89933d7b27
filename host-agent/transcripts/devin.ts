/** Devin's CLI: a document for each session, and a database beside them that knows titles, folders and the rest. */
import { posix, win32 } from 'node:path'
import { devinDatabase } from './devin-database.ts'
import { tellDevinStep } from './devin-steps.ts'
import { jsonObject } from './json-document.ts'
import { asRecord, type JsonRecord, listAt, recordAt, stringAt } from './json-record.ts'
import { neighbourPath } from './neighbour-path.ts'
import type { AgentEnvironment, Beside, DocumentFormat, TranscriptFile, TranscriptReader } from './reader.ts'
import { recordedPath } from './session-names.ts'
import { nothingTold, toldWhole } from './telling.ts'
import { timestampMs } from './timestamps.ts'

const label = 'Devin'
const invocation = 'devin --resume'
const database = devinDatabase(label, invocation)

const document: DocumentFormat = {
  kind: 'document',
  read(file, beside, bytes) {
    const session = jsonObject(bytes)
    if (!Array.isArray(session.steps)) throw new Error('The document has no list of steps.')
    const name = file.relativePath.slice(file.relativePath.lastIndexOf('/') + 1).replace(/\.json$/, '')
    const sessionId = stringAt(session, 'session_id') ?? name
    const known = knownSession(file, beside, sessionId)
    // Not shown by Devin itself: sessions that it runs for its own ends. A log repeats what a transcript holds.
    if (known.hidden === 1 || isLogOfTranscript(file, beside)) return nothingTold(label, file, sessionId)
    return toldWhole(label, file, (tell) => {
      for (const value of listAt(session, 'steps')) {
        const step = asRecord(value)
        if (step === null) tell.bad()
        else tellDevinStep(tell, step)
      }
      return {
        sessionId,
        title: stringAt(known, 'title') ?? stringAt(session, 'title'),
        cwd: recordedPath(known.working_directory) ?? directoryOf(session),
        createdAtMs: timestampMs(known.created_at) ?? timestampMs(session.created_at),
        updatedAtMs: timestampMs(known.last_activity_at) ?? timestampMs(session.updated_at),
        invocation,
      }
    })
  },
}

export function devinReader(): TranscriptReader {
  return {
    agent: 'devin',
    label,
    notes: {
      evidence: 'documentation',
      variables: ['DEVIN_HOME', 'APPDATA', 'XDG_DATA_HOME'],
      resume: 'devin --resume ID',
      remark:
        'Titles and folders from the database beside the transcripts, and sessions that have no transcript.',
    },
    roots: (environment) => dataFolders(environment).map((path) => ({ path })),
    enters: (relativePath) => relativePath === 'transcripts' || relativePath === 'agent_logs',
    formatOf(relativePath) {
      if (relativePath === 'sessions.db') return database
      return transcript.test(relativePath) ? document : null
    },
  }
}

const transcript = /^(?:transcripts|agent_logs)\/[^/]+\.json$/

function dataFolders({ homeDir, platform, env }: AgentEnvironment): string[] {
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix
  const configured = env.DEVIN_HOME
  if (configured !== undefined && isAbsolute(configured)) return [configured, join(configured, 'cli')]
  const own = platform === 'win32' ? env.APPDATA : env.XDG_DATA_HOME
  const base = own !== undefined && isAbsolute(own) ? own : null
  return [
    join(
      base ?? (platform === 'win32' ? join(homeDir, 'AppData', 'Roaming') : join(homeDir, '.local', 'share')),
      'devin',
      'cli',
    ),
  ]
}

/** The session's row in `sessions.db`; without members where there is none. */
function knownSession(file: TranscriptFile, beside: Beside, sessionId: string): JsonRecord {
  const database = neighbourPath(file.path, '..', 'sessions.db')
  const some = 'title, working_directory, CAST(created_at AS REAL) AS created_at'
  const all = `${some}, CAST(last_activity_at AS REAL) AS last_activity_at, CAST(hidden AS REAL) AS hidden`
  const read = (columns: string) =>
    beside.rows(database, `SELECT ${columns} FROM sessions WHERE id = ?`, sessionId)[0]
  // The first versions had fewer columns.
  return read(all) ?? read(some) ?? {}
}

function isLogOfTranscript({ path, relativePath }: TranscriptFile, beside: Beside): boolean {
  const [folder, name = ''] = relativePath.split('/')
  return folder === 'agent_logs' && beside.list(neighbourPath(path, '..', 'transcripts')).includes(name)
}

function directoryOf(session: JsonRecord): string | null {
  const agent = recordAt(session, 'agent')
  const [folder] = listAt(session, 'workspace_dirs')
  const named = asRecord(folder) ?? {}
  const candidates = [
    session.working_directory,
    session.cwd,
    agent.working_directory,
    agent.cwd,
    folder,
    named.root_path,
    named.path,
  ]
  return candidates.map(recordedPath).find((path) => path !== null) ?? null
}
