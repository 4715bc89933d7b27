/** Reads the sessions of Cline's command line: a folder for each, with its messages and those of its subagents. */
import { tellContent } from './content-blocks.ts'
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'
import { jsonManifest, jsonObject } from './json-document.ts'
import { asRecord, type JsonRecord, listAt, recordAt, stringAt } from './json-record.ts'
import { neighbourPath } from './neighbour-path.ts'
import type { Beside, DocumentFormat, TranscriptFile, WholeTranscript } from './reader.ts'
import { recordedPath } from './session-names.ts'
import { type Telling, toldWhole } from './telling.ts'
import { timestampMs } from './timestamps.ts'

const ending = '.messages.json'

/** `<session>/<session>.messages.json`, and `<session>/<agent>.messages.json` of its subagents. */
export function clineSessionFormat(label: string): (relativePath: string) => DocumentFormat | null {
  const format: DocumentFormat = {
    kind: 'document',
    read: (file, beside, bytes) => readSession(label, file, beside, bytes),
  }
  return (relativePath) => (/^[^/]+\/[^/]+\.messages\.json$/.test(relativePath) ? format : null)
}

/** The manifest with the session's title and place. */
export function clineManifestPath(file: TranscriptFile): string {
  return neighbourPath(file.path, `${sessionFolder(file)}.json`)
}

function sessionFolder({ relativePath }: TranscriptFile): string {
  return relativePath.slice(0, relativePath.indexOf('/'))
}

function readSession(label: string, file: TranscriptFile, beside: Beside, bytes: Buffer): WholeTranscript {
  const document = jsonObject(bytes)
  const folder = sessionFolder(file)
  const isPart = file.relativePath !== `${folder}/${folder}${ending}`
  const manifest = jsonManifest(beside.text(clineManifestPath(file)) ?? '')
  const tellAll = (tell: Telling) => {
    for (const value of listAt(document, 'messages')) {
      const message = asRecord(value)
      if (message === null) tell.bad()
      else tellMessage(message, tell)
    }
    return {
      sessionId: stringAt(manifest, 'session_id') ?? folder,
      title:
        stringAt(recordAt(manifest, 'metadata'), 'title') ??
        (tell.tally.firstWords === null ? stringAt(manifest, 'prompt') : null),
      cwd: recordedPath(manifest.cwd) ?? recordedPath(manifest.workspace_root),
      createdAtMs: timestampMs(manifest.started_at),
      updatedAtMs: timestampMs(document.updated_at),
      kind: isPart ? ('part' as const) : ('session' as const),
      invocation: 'cline --id',
    }
  }
  return toldWhole(label, file, tellAll, isPart)
}

function tellMessage(message: JsonRecord, tell: Telling): void {
  const atMs = timestampMs(message.ts ?? message.createdAt)
  // Marked as not said by a person: a summary, a notice.
  const notice = stringAt(recordAt(message, 'metadata'), 'displayRole')
  tellContent(
    message.content,
    (text) => {
      if (notice === 'system' || notice === 'status') tell.tool(text, atMs)
      else if (message.role === 'assistant') tell.assistant(text, atMs)
      else if (message.role === 'user') tellUserText(text, tell, atMs)
      else tell.unknown()
    },
    tell,
    atMs,
  )
}

function tellUserText(text: string, tell: Telling, atMs: number | null): void {
  const { rest, blocks } = takeBlocks(text, opening)
  const words = blocks.filter(({ tag }) => tag === 'user_input').map(({ content }) => content)
  for (const word of words) tell.user(takeBlocks(word, opening).rest, atMs)
  tell.user(rest, atMs)
}

const opening = openingTags([
  ...commonInjectedTags,
  'user_input',
  'mode_notice',
  'SYSTEM_NOTICE',
  'environment_details',
  'file_content',
])
