/** Rovo Dev: where its sessions lie and how their messages read. */
import { posix, win32 } from 'node:path'
import { tellContent } from './content-blocks.ts'
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'
import { jsonManifest, jsonObject } from './json-document.ts'
import { asRecord, type JsonRecord, listAt, stringAt } from './json-record.ts'
import { neighbourPath } from './neighbour-path.ts'
import type { Beside, DocumentFormat, TranscriptFile, TranscriptReader, WholeTranscript } from './reader.ts'
import { recordedPath } from './session-names.ts'
import { type Telling, toldWhole } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { argumentsOf, joinParts, toolCallText, toolResultText } from './tool-text.ts'

const label = 'Rovo Dev'

const document: DocumentFormat = { kind: 'document', read }

export function rovoReader(): TranscriptReader {
  return {
    agent: 'rovo',
    label,
    notes: {
      evidence: 'documentation',
      variables: [],
      resume: 'acli rovodev run --restore ID',
      remark: 'The folder its configuration names is followed.',
    },
    roots({ homeDir, platform, textOf }) {
      const { isAbsolute, join } = platform === 'win32' ? win32 : posix
      const config = textOf?.(join(homeDir, '.rovodev', 'config.yml')) ?? ''
      const written = /^\s+persistenceDir:\s*["']?([^"'#\n]+)/m.exec(config)?.[1]?.trim() ?? ''
      const moved = written.startsWith('~/') ? join(homeDir, written.slice(2)) : written
      return [{ path: isAbsolute(moved) ? moved : join(homeDir, '.rovodev', 'sessions') }]
    },
    enters: (relativePath) => !relativePath.includes('/'),
    formatOf: (relativePath) => (/^[^/]+\/session_context\.json$/.test(relativePath) ? document : null),
    companions: ({ path }) => [neighbourPath(path, 'metadata.json')],
  }
}

function read(file: TranscriptFile, beside: Beside, bytes: Buffer): WholeTranscript {
  const context = jsonObject(bytes)
  const metadata = jsonManifest(beside.text(neighbourPath(file.path, 'metadata.json')) ?? '')
  const tellAll = (tell: Telling) => {
    for (const value of [...listAt(context, 'message_history'), ...listAt(context, 'messages')]) {
      const message = asRecord(value)
      if (message === null) tell.bad()
      else tellMessage(message, tell)
    }
    const records = [metadata, context]
    return {
      sessionId: file.relativePath.slice(0, file.relativePath.indexOf('/')),
      title: firstOf([metadata], ['title', 'name', 'summary'], (value) =>
        typeof value === 'string' ? value : null,
      ),
      cwd: firstOf(records, folderKeys, recordedPath),
      branch: firstOf(records, ['branch', 'git_branch'], (value) =>
        typeof value === 'string' ? value : null,
      ),
      createdAtMs: firstOf(records, ['created_at', 'createdAt', 'timestamp'], timestampMs),
      updatedAtMs: firstOf(records, ['updated_at', 'updatedAt', 'last_updated'], timestampMs),
      invocation: 'acli rovodev run --restore',
    }
  }
  return toldWhole(label, file, tellAll)
}

/** The names changed from version to version. */
const folderKeys = [
  'workspace_path',
  'workspacePath',
  'workspace',
  'cwd',
  'working_directory',
  'workingDirectory',
  'project_path',
  'projectPath',
]

function firstOf<T>(
  records: readonly JsonRecord[],
  keys: readonly string[],
  take: (value: unknown) => T | null,
): T | null {
  for (const record of records)
    for (const key of keys) {
      const taken = take(record[key])
      if (taken !== null && taken !== '') return taken
    }
  return null
}

function tellMessage(message: JsonRecord, tell: Telling): void {
  const messageAtMs = timestampMs(message.timestamp)
  if (!Array.isArray(message.parts)) {
    const said = (text: string): void => {
      if (message.role === 'user') tellUser(text, tell, messageAtMs)
      else if (message.role === 'assistant') tell.assistant(text, messageAtMs)
      else if (message.role === 'tool') tell.tool(text, messageAtMs)
      else if (message.role !== 'system') tell.unknown()
    }
    tellContent(message.content, said, tell, messageAtMs)
    return
  }
  // The texts and thoughts of one response are one message.
  let run: string[] = []
  const close = (): void => {
    if (run.length > 0) tell.assistant(joinParts(run), messageAtMs)
    run = []
  }
  for (const value of message.parts) {
    const part = asRecord(value) ?? {}
    if (part.part_kind === 'text' || part.part_kind === 'thinking') run.push(contentText(part.content))
    else {
      close()
      tellPart(part, tell, timestampMs(part.timestamp) ?? messageAtMs)
    }
  }
  close()
}

function tellPart(part: JsonRecord, tell: Telling, atMs: number | null): void {
  switch (part.part_kind) {
    case 'user-prompt':
      tellUser(contentText(part.content), tell, atMs)
      break
    case 'tool-call':
    case 'builtin-tool-call':
      tell.tool(toolCallText(stringAt(part, 'tool_name') ?? 'tool', argumentsOf(part.args)), atMs)
      break
    case 'tool-return':
    case 'builtin-tool-return':
    case 'retry-prompt':
      tell.tool(toolResultText(part.content), atMs)
      break
    case 'system-prompt':
    case 'instruction':
      break
    default:
      tell.unknown()
  }
}

function tellUser(text: string, tell: Telling, atMs: number | null): void {
  const { rest } = takeBlocks(text, opening)
  if (programText.test(rest)) tell.tool(rest, atMs)
  else tell.user(rest, atMs)
}

const opening = openingTags([...commonInjectedTags, 'system_reminder'])
/** Prompts of the program's own, which have a person's place. */
const programText =
  /^(?:Based on these messages, generate a 2-4 word title|Before you start working on the next task, please take a look|You have used \d+ iterations)/

/** A text, or a list of texts with pictures between them. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = Array.isArray(content) ? content : []
  return joinParts(
    parts.map((part) => (typeof part === 'string' ? part : (stringAt(asRecord(part) ?? {}, 'text') ?? ''))),
  )
}
