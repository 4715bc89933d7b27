/**
 * Tasks of Cline and its forks within VS Code: a folder for each, with what the person saw and what the model was sent.
 * Shared by the readers of Cline, Roo Code and Kilo Code.
 */
import { posix, win32 } from 'node:path'
import { jsonDocument, jsonManifest, jsonRecords } from './json-document.ts'
import { type JsonRecord, jsonIn, stringAt } from './json-record.ts'
import { neighbourPath } from './neighbour-path.ts'
import type {
  AgentEnvironment,
  Beside,
  DocumentFormat,
  TranscriptFile,
  TranscriptRoot,
  WholeTranscript,
} from './reader.ts'
import { recordedPath } from './session-names.ts'
import { nothingTold, type Telling, toldWhole } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { vscodeUserFolders } from './vscode-places.ts'
import { tellTaskHistory } from './vscode-task-history.ts'
import { tellTaskMessages, workingDirectoryIn } from './vscode-task-messages.ts'

const seenName = 'ui_messages.json'
const olderSeenName = 'claude_messages.json'
const sentName = 'api_conversation_history.json'
/** Where the request to the model says where the task works: near its start. */
const maxRequestUnits = 1_000_000

/**
 * The `tasks` folders of an extension, such as `saoudrizwan.claude-dev`, in every editor it may run in.
 * @param folderSetting the extension's setting that moves them, such as `roo-cline.customStoragePath`.
 */
export function taskRoots(
  environment: AgentEnvironment,
  extensionId: string,
  folderSetting?: string,
): TranscriptRoot[] {
  const { join } = environment.platform === 'win32' ? win32 : posix
  const users = vscodeUserFolders(environment)
  const moved =
    folderSetting === undefined ? [] : users.flatMap((user) => movedTo(environment, user, folderSetting))
  return [...new Set(moved), ...users.map((user) => join(user, 'globalStorage', extensionId))].map(
    (folder) => ({
      path: join(folder, 'tasks'),
    }),
  )
}

/** Settings are JSON with comments, hence no parser of JSON. */
function movedTo({ platform, textOf }: AgentEnvironment, user: string, setting: string): string[] {
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix
  const written = new RegExp(
    `^\\s*"${setting.replaceAll('.', '\\.')}"\\s*:\\s*("(?:[^"\\\\\\n]|\\\\.)*")`,
    'm',
  )
  const value = jsonIn(written.exec(textOf?.(join(user, 'settings.json')) ?? '')?.[1])
  return typeof value === 'string' && isAbsolute(value) ? [value] : []
}

/** Below a `tasks` folder: only the folders of tasks, not the checkpoints within them. */
export function entersTask(relativePath: string): boolean {
  return !relativePath.includes('/')
}

/** How a file below a `tasks` folder is read; null where it is no transcript. */
export function taskFormat(label: string): (relativePath: string) => DocumentFormat | null {
  const format: DocumentFormat = {
    kind: 'document',
    read: (file, beside, bytes) => readTask(label, file, beside, bytes),
  }
  return (relativePath) => (transcriptPath.test(relativePath) ? format : null)
}

/** What decides over a task's title, place and parent – and whether its other file is read. */
export function taskCompanions(file: TranscriptFile): readonly string[] {
  return ['history_item.json', seenName, olderSeenName]
    .map((name) => neighbourPath(file.path, name))
    .filter((path) => path !== file.path)
}

const transcriptPath = new RegExp(
  `^[^/]+/(?:${seenName}|${olderSeenName}|${sentName})$`.replaceAll('.', '\\.'),
)

/** One file of a task tells it; the others say nothing then. */
function readTask(label: string, file: TranscriptFile, beside: Beside, bytes: Buffer): WholeTranscript {
  const taskId = file.relativePath.slice(0, file.relativePath.indexOf('/'))
  const name = file.relativePath.slice(taskId.length + 1)
  const better = name === seenName ? [] : name === olderSeenName ? [seenName] : [seenName, olderSeenName]
  const names = new Set(better.length === 0 ? [] : beside.list(neighbourPath(file.path)))
  if (better.some((one) => names.has(one))) return nothingTold(label, file, taskId)
  const messages = jsonDocument(bytes)
  if (!Array.isArray(messages)) throw new Error('The document is not a list of messages.')
  const item = historyItem(file, beside, taskId)
  // A task that another one has started belongs to the first of them all.
  const parentId = stringAt(item, 'rootTaskId') ?? stringAt(item, 'parentTaskId')
  const isPart = parentId !== null && parentId !== taskId
  const tellAll = (tell: Telling) => {
    const requested = name === sentName ? null : tellTaskMessages(messages, tell)
    if (name === sentName) tellTaskHistory(messages, tell)
    return {
      sessionId: isPart ? parentId : taskId,
      title: stringAt(item, 'task'),
      cwd:
        recordedPath(item.workspace) ??
        recordedPath(item.cwdOnTaskInitialization) ??
        requested ??
        sentDirectory(file, beside),
      createdAtMs: timestampMs(taskId),
      updatedAtMs: timestampMs(item.ts),
      kind: isPart ? ('part' as const) : ('session' as const),
    }
  }
  return toldWhole(label, file, tellAll, isPart)
}

/** Roo Code keeps it with the task, Cline in one list for all tasks. */
function historyItem(file: TranscriptFile, beside: Beside, taskId: string): JsonRecord {
  const own = beside.text(neighbourPath(file.path, 'history_item.json'))
  if (own !== null) return jsonManifest(own)
  const listPath = neighbourPath(file.path, '..', '..', 'state', 'taskHistory.json')
  return beside.parsed(listPath, itemsById)?.get(taskId) ?? {}
}

function itemsById(text: string): ReadonlyMap<string, JsonRecord> {
  return new Map(jsonRecords(text).map((item) => [stringAt(item, 'id') ?? '', item]))
}

function sentDirectory(file: TranscriptFile, beside: Beside): string | null {
  const sent = beside.text(neighbourPath(file.path, sentName))
  return sent === null ? null : workingDirectoryIn(sent.slice(0, maxRequestUnits))
}
