/** Amp: where its threads lie and how they read. Some are stubs, the text of which only its server has. */
import { posix, win32 } from 'node:path'
import { tellContent } from './content-blocks.ts'
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'
import { jsonObject } from './json-document.ts'
import { asRecord, type JsonRecord, listAt, recordAt, stringAt } from './json-record.ts'
import type { DocumentFormat, TranscriptFile, TranscriptReader, WholeTranscript } from './reader.ts'
import { type Telling, toldWhole } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { joinParts, toolResultText } from './tool-text.ts'
import { pathOfFileUri } from './vscode-places.ts'

const label = 'Amp'

const document: DocumentFormat = { kind: 'document', read: (file, _beside, bytes) => read(file, bytes) }

export function ampReader(): TranscriptReader {
  return {
    agent: 'amp',
    label,
    notes: {
      evidence: 'documentation',
      variables: ['XDG_DATA_HOME'],
      resume: 'amp threads continue ID',
      remark: 'A thread may be a stub whose text only the server has.',
    },
    roots({ homeDir, platform, env }) {
      const { isAbsolute, join } = platform === 'win32' ? win32 : posix
      const configured = env.XDG_DATA_HOME
      const data =
        configured !== undefined && isAbsolute(configured) ? configured : join(homeDir, '.local', 'share')
      return [{ path: join(data, 'amp', 'threads') }]
    },
    enters: () => false,
    formatOf: (relativePath) => (/^T-[\w-]+\.json$/.test(relativePath) ? document : null),
  }
}

function read(file: TranscriptFile, bytes: Buffer): WholeTranscript {
  const thread = jsonObject(bytes)
  const tellAll = (tell: Telling) => {
    for (const value of listAt(thread, 'messages')) {
      const message = asRecord(value)
      if (message === null) tell.bad()
      else tellMessage(message, tell)
    }
    const tree = asRecord(listAt(recordAt(recordAt(thread, 'env'), 'initial'), 'trees')[0]) ?? {}
    const traceEnds = listAt(recordAt(thread, 'meta'), 'traces').map((trace) =>
      timestampMs(asRecord(trace)?.endTime),
    )
    return {
      sessionId: file.relativePath.replace(/\.json$/, ''),
      title: stringAt(thread, 'title'),
      cwd: pathOfFileUri(stringAt(tree, 'uri') ?? ''),
      branch: stringAt(recordAt(tree, 'repository'), 'ref')?.replace(/^refs\/heads\//, '') ?? null,
      createdAtMs: timestampMs(thread.created),
      updatedAtMs: traceEnds.findLast((atMs) => atMs !== null) ?? null,
      invocation: 'amp threads continue',
    }
  }
  return toldWhole(label, file, tellAll)
}

function tellMessage(message: JsonRecord, tell: Telling): void {
  const atMs = timestampMs(recordAt(message, 'meta').sentAt ?? recordAt(message, 'usage').timestamp)
  const said = (text: string): void => {
    if (message.role === 'assistant') tell.assistant(text, atMs)
    else if (message.role === 'user') tell.user(takeBlocks(text, opening).rest, atMs)
    else if (message.role === 'info') tell.tool(text, atMs)
    else tell.unknown()
  }
  tellContent(listed(message.content), said, tell, atMs)
}

const opening = openingTags([...commonInjectedTags, 'attached_files', 'user-state'])

/** The result of a tool lies within the run that gave it. */
function listed(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  return content.map((value) => {
    const block = asRecord(value)
    const run = block === null ? null : asRecord(block.run)
    return block === null || run === null ? value : { ...block, content: runText(run) }
  })
}

function runText(run: JsonRecord): string {
  const result = asRecord(run.result)
  const diff = result === null ? '' : (stringAt(result, 'diff') ?? '')
  const error = stringAt(recordAt(run, 'error'), 'message') ?? stringAt(run, 'reason') ?? ''
  return joinParts([toolResultText(run.result), diff, error])
}
