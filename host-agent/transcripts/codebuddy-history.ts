/**
 * Reads the sessions of CodeBuddy's editor extension: `history/<workspace>/<session>/index.json` lists the messages,
 * each of which is a file of its own in `messages`; names of sessions stand in the workspace's `index.json`.
 */
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'
import { jsonManifest, jsonObject } from './json-document.ts'
import { asRecord, type JsonRecord, listAt, recordAt, stringAt } from './json-record.ts'
import { contentBlocks, contentText, resultText, tellReply, tellRuns } from './message-blocks.ts'
import { neighbourPath } from './neighbour-path.ts'
import type { Beside, DocumentFormat, TranscriptFile } from './reader.ts'
import { recordedPath } from './session-names.ts'
import { type Telling, toldWhole } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { joinParts } from './tool-text.ts'

const indexPath = /(?:^|\/)history\/[^/]+\/([^/]+)\/index\.json$/

export function isBuddyHistory(relativePath: string): boolean {
  return indexPath.test(relativePath)
}

export function messagesFolder({ path }: TranscriptFile): string {
  return neighbourPath(path, 'messages')
}

export function buddyHistory(label: string): DocumentFormat {
  return {
    kind: 'document',
    read(file, beside, bytes) {
      const index = jsonObject(bytes)
      if (!Array.isArray(index.messages)) throw new Error('The document lists no messages.')
      const sessionId = indexPath.exec(file.relativePath)?.[1] ?? file.relativePath
      return toldWhole(label, file, (tell) => {
        let cwd: string | null = null
        for (const entry of listAt(index, 'messages')) {
          const message = messageOf(asRecord(entry), file, beside)
          const folder = message === null ? null : tellMessage(message, tell)
          if (message === null) tell.bad()
          cwd ??= folder
        }
        const conversation = conversationOf(file, beside, sessionId)
        return {
          sessionId,
          title: stringAt(conversation, 'name'),
          cwd,
          createdAtMs: timestampMs(conversation.createdAt),
        }
      })
    },
  }
}

/** Null where there is no such file, or no message in it. Ids are untrusted: one with a path in it leads nowhere. */
function messageOf(entry: JsonRecord | null, file: TranscriptFile, beside: Beside): JsonRecord | null {
  const id = entry === null ? null : stringAt(entry, 'id')
  if (id === null || !/^[\w-]+$/.test(id)) return null
  const message = jsonManifest(beside.text(neighbourPath(file.path, 'messages', `${id}.json`)) ?? '')
  return stringAt(message, 'role') === null ? null : message
}

function conversationOf(file: TranscriptFile, beside: Beside, sessionId: string): JsonRecord {
  const workspace = beside.parsed(neighbourPath(file.path, '..', 'index.json'), jsonManifest) ?? {}
  const conversations = listAt(workspace, 'conversations').map((value) => asRecord(value) ?? {})
  return conversations.find(({ id }) => id === sessionId) ?? {}
}

/** @returns the folder that the message names as the workspace's, if it does. */
function tellMessage(message: JsonRecord, tell: Telling): string | null {
  const atMs = timestampMs(message.createdAt)
  const { content } = unpacked(message.message)
  const extra = unpacked(message.extra)
  switch (message.role) {
    case 'user': {
      const typed = joinParts(listAt(extra, 'sourceContentBlocks').map((block) => contentText([block])))
      const sent = contentText(content)
      tell.user(typed === '' ? wordsOf(sent) : typed, atMs)
      return recordedPath(/Workspace Folder: ([^\r\n<]+)/.exec(sent)?.[1]?.trim())
    }
    case 'assistant':
      tellReply(tell, contentBlocks(content), atMs)
      return null
    case 'tool':
      tellRuns(contentBlocks(content), (text) => tell.tool(text, atMs), tell, atMs)
      if (contentBlocks(content).length === 0)
        for (const status of Object.values(recordAt(extra, 'toolStatus')))
          tell.tool(resultText(asRecord(status)?.result), atMs)
      return null
    default:
      tell.unknown()
      return null
  }
}

function wordsOf(text: string): string {
  const { rest, blocks } = takeBlocks(text, opening)
  const queries = blocks.filter(({ tag }) => tag === 'user_query').map(({ content }) => content.trim())
  return queries.length > 0 ? joinParts(queries) : rest
}

const opening = openingTags([...commonInjectedTags, 'user_query', 'user_info', 'additional_data', 'rules'])

/** An object, or one as JSON inside a string. */
function unpacked(value: unknown): JsonRecord {
  return typeof value === 'string' ? jsonManifest(value) : (asRecord(value) ?? {})
}
