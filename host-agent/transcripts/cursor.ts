/**
 * Cursor's agent: where its transcripts lie. Lines read here; the older texts in cursor-text.ts. A transcript has no
 * times and no folder in it: those stand in the chat's manifest, in a folder named for a hash of the chat's own.
 */
import { posix, win32 } from 'node:path'
import * as z from 'zod'
import { cursorTextFormat } from './cursor-text.ts'
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'
import { jsonManifest } from './json-document.ts'
import { type JsonRecord, recordAt, stringAt } from './json-record.ts'
import { contentBlocks, contentText, tellReply, tellUser } from './message-blocks.ts'
import { neighbourPath } from './neighbour-path.ts'
import { pathInVariable } from './path-in-variable.ts'
import type { Beside, TranscriptFile, TranscriptReader } from './reader.ts'
import { recordedPath, sessionIdOfFile } from './session-names.ts'
import type { SessionIdentity, Telling } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { type ToldFile, toldLines } from './told-lines.ts'
import { joinParts } from './tool-text.ts'

const label = 'Cursor Agent'

export function cursorReader(): TranscriptReader {
  // Looking a chat up lists a folder for each project: once for each transcript that is opened.
  const chats = new WeakMap<ToldFile, string | null>()
  const lines = toldLines<Record<string, never>>({
    label,
    state: z.strictObject({}),
    initial: () => ({}),
    isPart: (file) => parentOf(file) !== null,
    record: (record, _state, tell) => tellRecord(record, tell),
    identity(_state, _tally, told) {
      const known = chats.get(told)
      const chat = known === undefined ? chatManifestPath(told.file, told.beside) : known
      chats.set(told, chat)
      return cursorIdentity(told.file, told.beside, chat)
    },
  })
  const text = cursorTextFormat(label, cursorWords, (file, beside) =>
    cursorIdentity(file, beside, chatManifestPath(file, beside)),
  )
  return {
    agent: 'cursor',
    label,
    notes: {
      evidence: 'sample',
      variables: ['CURSOR_DATA_DIR'],
      resume: 'cursor-agent --resume ID',
      remark: 'Title, folder and times come from the chat’s manifest. Subagents belong to their session.',
    },
    roots(environment) {
      const { join } = environment.platform === 'win32' ? win32 : posix
      const home = pathInVariable(environment, 'CURSOR_DATA_DIR') ?? join(environment.homeDir, '.cursor')
      return [{ path: join(home, 'projects') }]
    },
    enters(relativePath) {
      const folder = relativePath.split('/')[1]
      return folder === undefined || folder === transcriptsFolder
    },
    formatOf(relativePath) {
      if (relativePath.split('/')[1] !== transcriptsFolder) return null
      if (relativePath.endsWith('.jsonl')) return lines
      return /^[^/]+\/[^/]+\/[^/]+\.txt$/.test(relativePath) ? text : null
    },
  }
}

const transcriptsFolder = 'agent-transcripts'

/** `<project>/agent-transcripts/<session>/subagents/<id>.jsonl` is a part of `<session>`. */
function parentOf({ relativePath }: TranscriptFile): string | null {
  const parts = relativePath.split('/')
  const at = parts.indexOf('subagents')
  return at === -1 ? null : (parts[at - 1] ?? null)
}

function cursorIdentity(file: TranscriptFile, beside: Beside, chatPath: string | null): SessionIdentity {
  const parentId = parentOf(file)
  const chat = chatPath === null ? {} : jsonManifest(beside.text(chatPath) ?? '')
  const [project = ''] = file.relativePath.split('/')
  const trusted = jsonManifest(beside.text(besideRoot(file, project, '.workspace-trusted')) ?? '')
  return {
    sessionId: parentId ?? sessionIdOfFile(file.relativePath.replace(/\.txt$/, '')),
    kind: parentId === null ? 'session' : 'part',
    title: stringAt(chat, 'title') ?? stringAt(chat, 'name'),
    cwd: recordedPath(chat.cwd) ?? recordedPath(trusted.workspacePath),
    createdAtMs: timestampMs(chat.createdAtMs),
    updatedAtMs: timestampMs(chat.updatedAtMs),
    invocation: 'cursor-agent --resume',
  }
}

/** `~/.cursor/chats/<hash of the folder>/<session>/meta.json`: the hash is not undone but looked for. */
function chatManifestPath(file: TranscriptFile, beside: Beside): string | null {
  const id = parentOf(file) ?? sessionIdOfFile(file.relativePath.replace(/\.txt$/, ''))
  const chats = besideRoot(file, '..', 'chats')
  const hash = beside
    .list(chats)
    .find((name) => beside.list(besideRoot(file, '..', 'chats', name)).includes(id))
  return hash === undefined ? null : besideRoot(file, '..', 'chats', hash, id, 'meta.json')
}

function besideRoot({ root }: TranscriptFile, ...parts: readonly string[]): string {
  return neighbourPath(root.path, 'projects', ...parts)
}

function tellRecord(record: JsonRecord, tell: Telling): void {
  const atMs = timestampMs(record.timestamp)
  // Older lines hold the content itself, without a message around it.
  const content = record.message === undefined ? record.content : recordAt(record, 'message').content
  switch (record.role) {
    case 'user':
      tellUser(tell, content, atMs, cursorWords)
      break
    case 'assistant':
      tellReply(tell, contentBlocks(content), atMs)
      break
    case 'system':
    case 'tool':
      tell.tool(contentText(content), atMs)
      break
    default:
      if (!silentTypes.has(record.type)) tell.unknown()
  }
}

const silentTypes: ReadonlySet<unknown> = new Set([
  'turn_started',
  'turn_ended',
  'session_started',
  'session_ended',
])

/** A person's words stand in a tag of their own, with what the editor says of its state around it. */
function cursorWords(text: string): { words: string; asides: readonly string[] } {
  const { rest, blocks } = takeBlocks(text, opening)
  const queries = blocks.filter(({ tag }) => tag === 'user_query').map(({ content }) => content.trim())
  return { words: queries.length > 0 ? joinParts(queries) : rest, asides: [] }
}

const opening = openingTags([
  ...commonInjectedTags,
  'user_query',
  'system_reminder',
  'timestamp',
  'user_info',
  'git_status',
  'rules',
  'agent_skills',
  'attached_files',
  'open_and_recently_viewed_files',
  'additional_data',
  'image_files',
])
