/** Kiro's command line: where its sessions lie and how they read. */
import { posix, win32 } from 'node:path'
import * as z from 'zod'
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'
import { jsonManifest } from './json-document.ts'
import { asRecord, type JsonRecord, listAt, recordAt, stringAt } from './json-record.ts'
import { neighbourPath } from './neighbour-path.ts'
import type { Beside, TranscriptFile, TranscriptReader } from './reader.ts'
import { recordedPath } from './session-names.ts'
import type { Telling } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { toldLines } from './told-lines.ts'
import { joinParts, toolCallText } from './tool-text.ts'

const label = 'Kiro'
/** Sessions that call sessions: no deeper is looked for the first of them. */
const maxAncestors = 16

const lines = toldLines({
  label,
  state: z.object({}),
  initial: () => ({}),
  // What a called session is told was written by the agent that called it.
  isPart: (file, beside) => stringAt(manifestOf(file, beside), 'parent_session_id') !== null,
  record: (record, _state, tell) => tellRecord(record, tell),
  identity(_state, _tally, { file, beside }) {
    const manifest = manifestOf(file, beside)
    const ownId = stringAt(manifest, 'session_id') ?? file.relativePath.replace(/\.jsonl$/, '')
    const rootId = rootOf(file, beside, ownId, manifest)
    return {
      sessionId: rootId,
      title: stringAt(manifest, 'title'),
      cwd: recordedPath(manifest.cwd),
      createdAtMs: timestampMs(manifest.created_at),
      updatedAtMs: timestampMs(manifest.updated_at),
      kind: rootId === ownId ? 'session' : 'part',
    }
  },
})

export function kiroReader(): TranscriptReader {
  return {
    agent: 'kiro',
    label,
    notes: {
      evidence: 'sample',
      variables: ['KIRO_HOME'],
      resume: null,
      remark: 'A session that another one has called belongs to it.',
    },
    roots({ homeDir, platform, env }) {
      const { isAbsolute, join } = platform === 'win32' ? win32 : posix
      const configured = env.KIRO_HOME
      const home = configured !== undefined && isAbsolute(configured) ? configured : join(homeDir, '.kiro')
      return [{ path: join(home, 'sessions', 'cli') }]
    },
    enters: () => false,
    formatOf: (relativePath) => (/^[^/]+\.jsonl$/.test(relativePath) ? lines : null),
    companions: ({ path }) => [path.replace(/l$/, '')],
  }
}

function manifestOf({ path }: TranscriptFile, beside: Beside): JsonRecord {
  return beside.parsed(path.replace(/l$/, ''), jsonManifest) ?? {}
}

/** The session that called the one that called … this one. */
function rootOf(file: TranscriptFile, beside: Beside, ownId: string, manifest: JsonRecord): string {
  let id = ownId
  let parent = stringAt(manifest, 'parent_session_id')
  for (let depth = 0; parent !== null && depth < maxAncestors; depth++) {
    id = parent
    // The name comes from a file: it must not lead out of the folder.
    const path = /^[\w-]+$/.test(id) ? neighbourPath(file.path, `${id}.json`) : null
    parent = path === null ? null : stringAt(beside.parsed(path, jsonManifest) ?? {}, 'parent_session_id')
  }
  return id
}

function tellRecord(record: JsonRecord, tell: Telling): void {
  const data = recordAt(record, 'data')
  const atMs = timestampMs(recordAt(data, 'meta').timestamp ?? data.timestamp)
  switch (record.kind) {
    case 'Prompt':
    case 'CancelledPrompt':
      tellBlocks(data, tell, atMs, (text) => tell.user(takeBlocks(text, opening).rest, atMs))
      break
    case 'AssistantMessage':
      tellBlocks(data, tell, atMs, (text) => tell.assistant(text, atMs))
      break
    case 'ToolResults':
      tellBlocks(data, tell, atMs, (text) => tell.tool(text, atMs))
      break
    case 'Compaction':
      tell.tool(stringAt(data, 'summary') ?? '', atMs)
      break
    case 'Clear':
      break
    default:
      tell.unknown()
  }
}

const opening = openingTags(commonInjectedTags)

/** Texts and thoughts that follow on each other are one text. */
function tellBlocks(
  data: JsonRecord,
  tell: Telling,
  atMs: number | null,
  said: (text: string) => void,
): void {
  let run: string[] = []
  const close = (): void => {
    if (run.length > 0) said(joinParts(run))
    run = []
  }
  for (const value of listAt(data, 'content')) {
    const block = asRecord(value) ?? {}
    if (block.kind === 'text' || block.kind === 'thinking') {
      run.push(blockText(block))
      continue
    }
    const inner = recordAt(block, 'data')
    if (block.kind === 'toolUse') {
      close()
      tell.tool(toolCallText(stringAt(inner, 'name') ?? 'tool', inner.input), atMs)
    } else if (block.kind === 'toolResult') {
      close()
      tell.tool(joinParts(listAt(inner, 'content').map((part) => blockText(asRecord(part) ?? {}))), atMs)
    }
  }
  close()
}

/** A text, or the streams of a command as JSON. */
function blockText({ data }: JsonRecord): string {
  if (typeof data === 'string') return data
  const record = asRecord(data)
  if (record === null) return ''
  const known = ['text', 'stdout', 'stderr', 'output', 'content'].map((key) => stringAt(record, key) ?? '')
  const text = joinParts(known)
  return text === '' ? JSON.stringify(record) : text
}
