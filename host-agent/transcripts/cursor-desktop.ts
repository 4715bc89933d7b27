/** Cursor's desktop application: the conversations of its editor, in the database of its global state. */

import { tellCursorBubble } from './cursor-bubbles.ts'
import { bubbles, composer, composers, workspaceManifestsWith } from './cursor-keys.ts'
import { rootOf } from './database-rows.ts'
import { asRecord, type JsonRecord, listAt, recordAt, stringAt } from './json-record.ts'
import type { Beside, DatabaseFormat, SourceDatabase, TranscriptReader } from './reader.ts'
import { recordedPath } from './session-names.ts'
import { type Telling, toldWhole } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { pathOfFileUri, vscodeUserFolders, vscodeWorkspaceFolder } from './vscode-places.ts'

const label = 'Cursor desktop'
const databaseName = 'globalStorage/state.vscdb'

const database: DatabaseFormat = {
  kind: 'database',
  sessions: composers,
  read(file, beside, source) {
    const id = file.sessionKey ?? ''
    const conversation = composer(source, id)
    if (conversation === null) throw new Error('The session is no longer in the database.')
    const isPart = parentOf(conversation) !== null
    const root = isPart ? rootOf(id, (child) => parentOf(composer(source, child) ?? {})) : id
    const databasePath = file.path.slice(0, -id.length - 1)
    return toldWhole(
      label,
      file,
      (tell) => {
        tellConversation(tell, source, id, conversation)
        return {
          sessionId: root,
          title: stringAt(conversation, 'name'),
          cwd: folderOf(conversation) ?? folderOfWorkspace(beside, databasePath, id),
          branch: stringAt(conversation, 'createdOnBranch'),
          createdAtMs: timestampMs(conversation.createdAt),
          updatedAtMs: timestampMs(conversation.lastUpdatedAt),
          kind: isPart ? 'part' : 'session',
        }
      },
      isPart,
    )
  },
}

export function cursorDesktopReader(): TranscriptReader {
  return {
    agent: 'cursor-desktop',
    label,
    notes: {
      evidence: 'documentation',
      variables: ['APPDATA', 'XDG_CONFIG_HOME'],
      resume: null,
      remark: 'Of its databases only the keys of conversations are read.',
    },
    roots: (environment) =>
      vscodeUserFolders(environment)
        .filter((path) => /[\\/]Cursor[\\/]User$/.test(path))
        .map((path) => ({ path })),
    enters: (relativePath) => relativePath === 'globalStorage',
    formatOf: (relativePath) => (relativePath === databaseName ? database : null),
  }
}

function parentOf(conversation: JsonRecord): string | null {
  return stringAt(recordAt(conversation, 'subagentInfo'), 'parentComposerId')
}

/** What an edit or a rewind left behind is still in the database, but no longer in the list. */
function tellConversation(tell: Telling, source: SourceDatabase, id: string, conversation: JsonRecord): void {
  const ids = listAt(conversation, 'fullConversationHeadersOnly').flatMap((header) => {
    const bubbleId = stringAt(asRecord(header) ?? {}, 'bubbleId')
    return bubbleId === null ? [] : [bubbleId]
  })
  // The first versions kept the messages themselves in the conversation.
  if (ids.length === 0)
    for (const bubble of listAt(conversation, 'conversation')) tellCursorBubble(tell, asRecord(bubble))
  for (const bubble of bubbles(source, id, [...new Set(ids)])) tellCursorBubble(tell, bubble)
}

function folderOf(conversation: JsonRecord): string | null {
  const uri = recordAt(recordAt(conversation, 'workspaceIdentifier'), 'uri')
  const recorded = stringAt(uri, 'external') ?? stringAt(conversation, 'workspaceUri') ?? ''
  return recordedPath(uri.fsPath) ?? pathOfFileUri(recorded) ?? recordedPath(uri.path)
}

/** Null where the conversation was opened in several folders, or in none. */
function folderOfWorkspace(beside: Beside, databasePath: string, id: string): string | null {
  const folders = new Set(
    workspaceManifestsWith(beside, databasePath, id).map((path) => vscodeWorkspaceFolder(beside, path)),
  )
  const [folder = null] = folders
  return folders.size === 1 ? folder : null
}
