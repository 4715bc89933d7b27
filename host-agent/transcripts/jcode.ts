/** jcode: where its sessions lie and how they read: a snapshot, and beside it a journal of what came since. */
import { posix, win32 } from 'node:path'
import { tellContent } from './content-blocks.ts'
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'
import { jsonManifest, jsonObject, logRecords } from './json-document.ts'
import { asRecord, type JsonRecord, listAt, stringAt } from './json-record.ts'
import { neighbourPath } from './neighbour-path.ts'
import type { Beside, DocumentFormat, TranscriptFile, TranscriptReader, WholeTranscript } from './reader.ts'
import { recordedPath } from './session-names.ts'
import { type Telling, toldWhole } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { joinParts } from './tool-text.ts'

const label = 'jcode'

const document: DocumentFormat = { kind: 'document', read }

export function jcodeReader(): TranscriptReader {
  return {
    agent: 'jcode',
    label,
    notes: {
      evidence: 'documentation',
      variables: ['JCODE_HOME'],
      resume: 'jcode --resume ID',
      remark: 'A session split off another holds its own messages alone.',
    },
    roots({ homeDir, platform, env }) {
      const { isAbsolute, join } = platform === 'win32' ? win32 : posix
      const configured = env.JCODE_HOME
      const home = configured !== undefined && isAbsolute(configured) ? configured : join(homeDir, '.jcode')
      return [{ path: join(home, 'sessions') }]
    },
    enters: () => false,
    formatOf: (relativePath) => (/^session_[^/.]+\.json$/.test(relativePath) ? document : null),
    companions: (file) => [journalPath(file)],
  }
}

function journalPath({ path }: TranscriptFile): string {
  return path.replace(/\.json$/, '.journal.jsonl')
}

function read(file: TranscriptFile, beside: Beside, bytes: Buffer): WholeTranscript {
  const snapshot = jsonObject(bytes)
  const tellAll = (tell: Telling) => {
    // The journal's entries each say all that is known of the session by then.
    let session = snapshot
    const messages = [...listAt(snapshot, 'messages')]
    for (const entry of logRecords(Buffer.from(beside.text(journalPath(file)) ?? ''))) {
      if (entry === null) tell.bad()
      else {
        session = { ...session, ...asRecord(entry.meta) }
        messages.push(...listAt(entry, 'append_messages'))
      }
    }
    tellMessages(messages, sourceIds(file, beside, snapshot), tell)
    const name = file.relativePath.replace(/\.json$/, '')
    return {
      sessionId: stringAt(session, 'id') ?? name,
      title: stringAt(session, 'custom_title') ?? stringAt(session, 'title'),
      cwd: recordedPath(session.working_dir),
      createdAtMs: timestampMs(session.created_at),
      updatedAtMs: timestampMs(session.updated_at),
      invocation: 'jcode --resume',
    }
  }
  return toldWhole(label, file, tellAll)
}

/** The messages of the session that this one was split off, where that is still there. */
function sourceIds(file: TranscriptFile, beside: Beside, session: JsonRecord): ReadonlySet<string> {
  const source = stringAt(session, 'parent_id')
  if (source === null || !/^[\w-]+$/.test(source)) return new Set()
  return beside.parsed(neighbourPath(file.path, `${source}.json`), messageIds) ?? new Set()
}

function messageIds(text: string): ReadonlySet<string> {
  const ids = listAt(jsonManifest(text), 'messages').map((value) => stringAt(asRecord(value) ?? {}, 'id'))
  return new Set(ids.filter((id) => id !== null))
}

/** A crash between writing a snapshot and removing its journal leaves messages in both. */
function tellMessages(messages: readonly unknown[], known: ReadonlySet<string>, tell: Telling): void {
  const seen = new Set(known)
  for (const value of messages) {
    const message = asRecord(value)
    if (message === null) {
      tell.bad()
      continue
    }
    const id = stringAt(message, 'id')
    if (id !== null && seen.has(id)) continue
    if (id !== null) seen.add(id)
    tellMessage(message, tell)
  }
}

function tellMessage(message: JsonRecord, tell: Telling): void {
  const atMs = timestampMs(message.timestamp)
  const said = (text: string): void => {
    if (message.role === 'assistant') tell.assistant(text, atMs)
    else if (message.role !== 'user') tell.unknown()
    // Notices of the program and of background tasks have a person's place.
    else if (stringAt(message, 'display_role') !== null || text.startsWith('[Scheduled task]'))
      tell.tool(text, atMs)
    else tell.user(takeBlocks(text, opening).rest, atMs)
  }
  const content = Array.isArray(message.content) ? message.content.map(plainBlock) : message.content
  tellContent(content, said, tell, atMs)
}

const opening = openingTags(commonInjectedTags)

/** Each service's thoughts have a type of their own. */
function plainBlock(value: unknown): unknown {
  const block = asRecord(value)
  switch (block?.type) {
    case 'reasoning_trace':
    case 'anthropic_thinking':
      return { ...block, type: 'thinking' }
    case 'open_ai_reasoning':
    case 'openai_reasoning': {
      const summary = listAt(block, 'summary').filter((part) => typeof part === 'string')
      return { type: 'thinking', thinking: joinParts(summary) }
    }
    default:
      return value
  }
}
