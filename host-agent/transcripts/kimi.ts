/** Kimi Code and the older Kimi CLI: where their sessions lie. How they read is in kimi-wire.ts. */
import { createHash } from 'node:crypto'
import { posix, win32 } from 'node:path'
import { jsonManifest } from './json-document.ts'
import { asRecord, type JsonRecord, listAt, parseRecord, recordAt, stringAt } from './json-record.ts'
import { tellKimiWire } from './kimi-wire.ts'
import { neighbourPath } from './neighbour-path.ts'
import type { Beside, DocumentFormat, TranscriptFile, TranscriptReader, WholeTranscript } from './reader.ts'
import { recordedPath } from './session-names.ts'
import { type Telling, toldWhole } from './telling.ts'
import { timestampMs } from './timestamps.ts'

const label = 'Kimi'

/** Its log takes messages back (an undo), so it is read whole. */
const document: DocumentFormat = { kind: 'document', read }

export function kimiReader(): TranscriptReader {
  return {
    agent: 'kimi',
    label,
    notes: {
      evidence: 'sample',
      variables: ['KIMI_CODE_HOME', 'KIMI_SHARE_DIR'],
      resume: 'kimi --session ID',
      remark:
        'Undone turns are left out. A fork holds its own messages alone. Subagents belong to their session.',
    },
    roots({ homeDir, platform, env }) {
      const { isAbsolute, join } = platform === 'win32' ? win32 : posix
      const home = (name: string, folder: string): string => {
        const configured = env[name]
        return configured !== undefined && isAbsolute(configured) ? configured : join(homeDir, folder)
      }
      return [
        { path: join(home('KIMI_CODE_HOME', '.kimi-code'), 'sessions') },
        { path: join(home('KIMI_SHARE_DIR', '.kimi'), 'sessions') },
      ]
    },
    enters(relativePath) {
      const [, , part, ...agent] = relativePath.split('/')
      return part === undefined || (partFolders.has(part) && agent.length <= 1)
    },
    formatOf: (relativePath) => (transcriptPath.test(relativePath) ? document : null),
    companions: (file) => [statePath(file)],
  }
}

/** `<workspace>/<session>/agents/<agent>/wire.jsonl`; the older one has its main log beside its subagents' folder. */
const transcriptPath = /^[^/]+\/[^/]+\/(?:(?:agents|subagents)\/[^/]+\/)?wire\.jsonl$/
const partFolders = new Set(['agents', 'subagents'])

function statePath({ path, relativePath }: TranscriptFile): string {
  return relativePath.split('/').length === 3
    ? neighbourPath(path, 'state.json')
    : neighbourPath(path, '..', '..', 'state.json')
}

function read(file: TranscriptFile, beside: Beside, bytes: Buffer): WholeTranscript {
  const [workspace = '', sessionId = '', part = '', agent = ''] = file.relativePath.split('/')
  const state = jsonManifest(beside.text(statePath(file)) ?? '')
  const isPart = part === 'subagents' || (part === 'agents' && isSubagent(state, agent))
  const tellAll = (tell: Telling) => {
    const wire = tellKimiWire(bytes, tell, isFork(file, beside, state))
    return {
      sessionId,
      title: stringAt(state, 'custom_title') ?? stringAt(state, 'title'),
      cwd: recordedPath(state.workDir) ?? listedFolder(file, beside, workspace, sessionId) ?? wire.cwd,
      createdAtMs: timestampMs(state.createdAt),
      updatedAtMs: timestampMs(state.updatedAt),
      kind: isPart ? ('part' as const) : ('session' as const),
      invocation: 'kimi --session',
    }
  }
  return toldWhole(label, file, tellAll, isPart)
}

/** A fork begins with all that its source says, and tells it itself only where that source is gone. */
function isFork(file: TranscriptFile, beside: Beside, state: JsonRecord): boolean {
  const source = stringAt(state, 'forkedFrom')
  // The name comes from a file: it must not lead out of the folder.
  if (source === null || !/^[\w-]+$/.test(source)) return false
  return beside.list(neighbourPath(statePath(file), '..', source)).length > 0
}

/** As its state says; where there is none, the main agent's folder is `main`. */
function isSubagent(state: JsonRecord, agent: string): boolean {
  const known = asRecord(recordAt(state, 'agents')[agent])
  return known === null ? agent !== 'main' : known.type === 'sub' || stringAt(known, 'parentAgentId') !== null
}

/** The newer one lists its sessions with their folders, the older one its folders: a hash of each names its workspace. */
function listedFolder(
  file: TranscriptFile,
  beside: Beside,
  workspace: string,
  sessionId: string,
): string | null {
  const sessions = beside.parsed(neighbourPath(file.root.path, 'session_index.jsonl'), foldersBySession)
  const listed = sessions?.get(sessionId)
  if (listed !== undefined) return listed
  const folders = beside.parsed(neighbourPath(file.root.path, 'kimi.json'), foldersByHash)
  return folders?.get(workspace) ?? null
}

/** The last row of a session wins. */
function foldersBySession(text: string): ReadonlyMap<string, string> {
  const folders = new Map<string, string>()
  for (const line of text.split('\n')) {
    const row = parseRecord(line)
    const sessionId = row === null ? null : stringAt(row, 'sessionId')
    const folder = recordedPath(row?.workDir)
    if (sessionId !== null && folder !== null) folders.set(sessionId, folder)
  }
  return folders
}

function foldersByHash(text: string): ReadonlyMap<string, string> {
  const folders = listAt(jsonManifest(text), 'work_dirs').map((value) => recordedPath(asRecord(value)?.path))
  return new Map(
    folders
      .filter((folder) => folder !== null)
      .map((folder) => [createHash('md5').update(folder).digest('hex'), folder]),
  )
}
