/** Copilot's chats within VS Code: where they lie. How they read is in copilot-chat-session.ts. */
import { posix, win32 } from 'node:path'
import { tellCopilotChat } from './copilot-chat-session.ts'
import { jsonDocument } from './json-document.ts'
import { asRecord, stringAt } from './json-record.ts'
import { neighbourPath } from './neighbour-path.ts'
import { replayObjectLog } from './object-log.ts'
import type { Beside, DocumentFormat, TranscriptFile, TranscriptReader, WholeTranscript } from './reader.ts'
import { nothingTold, type Telling, toldWhole } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { pathOfFileUri, vscodeUserFolders, vscodeWorkspaceFolder } from './vscode-places.ts'

const label = 'Copilot Chat'

/** A log of changes, too, has its meaning only when it has been replayed to its end. */
const document: DocumentFormat = { kind: 'document', read }

export function copilotChatReader(): TranscriptReader {
  return {
    agent: 'copilot-chat',
    label,
    notes: {
      evidence: 'sample',
      variables: ['VSCODE_PORTABLE'],
      resume: null,
      remark: 'Chats of windows without a folder are read as well.',
    },
    roots(environment) {
      const { join } = environment.platform === 'win32' ? win32 : posix
      return vscodeUserFolders(environment).flatMap((user) => [
        { path: join(user, 'workspaceStorage') },
        { path: join(user, 'globalStorage', 'emptyWindowChatSessions') },
      ])
    },
    enters(relativePath) {
      const [, folder, ...deeper] = relativePath.split('/')
      return folder === undefined || (folder === 'chatSessions' && deeper.length === 0)
    },
    formatOf: (relativePath) => (transcriptPath.test(relativePath) ? document : null),
    companions: ({ path }) => (path.endsWith('.json') ? [`${path}l`] : []),
  }
}

/** `<workspace>/chatSessions/<uuid>.json[l]`; in the folder of windows without a workspace, `<uuid>.json[l]`. */
const transcriptPath =
  /^(?:[^/]+\/chatSessions\/[^/]+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl?$/i

function read(file: TranscriptFile, beside: Beside, bytes: Buffer): WholeTranscript {
  const fileName = file.relativePath.slice(file.relativePath.lastIndexOf('/') + 1)
  const fileId = fileName.replace(/\.jsonl?$/, '')
  const isLog = fileName.endsWith('.jsonl')
  // A newer VS Code goes on with a chat in a log of the same name, which holds all of it.
  if (!isLog && beside.list(neighbourPath(file.path)).includes(`${fileName}l`))
    return nothingTold(label, file, fileId)
  // A chat in which nothing was asked yet.
  if (bytes.length === 0) return nothingTold(label, file, fileId)
  const replayed = isLog ? replayObjectLog(bytes) : { value: jsonDocument(bytes), badLines: 0 }
  const session = asRecord(replayed.value)
  if (session === null) throw new Error('The document holds no chat.')
  const tellAll = (tell: Telling) => {
    for (let count = 0; count < replayed.badLines; count++) tell.bad()
    tellCopilotChat(session, tell)
    return {
      sessionId: stringAt(session, 'sessionId') ?? fileId,
      title: stringAt(session, 'customTitle'),
      cwd: pathOfFileUri(stringAt(session, 'workingDirectory') ?? '') ?? windowFolder(file, beside),
      branch: stringAt(asRecord(session.repoData) ?? {}, 'localBranch'),
      createdAtMs: timestampMs(session.creationDate),
      updatedAtMs: timestampMs(session.lastMessageDate),
    }
  }
  return toldWhole(label, file, tellAll)
}

/** The folder that the window had open; one without a workspace has no such manifest. */
function windowFolder(file: TranscriptFile, beside: Beside): string | null {
  if (!file.relativePath.includes('/')) return null
  return vscodeWorkspaceFolder(beside, neighbourPath(file.path, '..', 'workspace.json'))
}
