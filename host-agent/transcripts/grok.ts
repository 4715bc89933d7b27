/** Grok: where its sessions lie and how their history reads. */
import { posix, win32 } from 'node:path'
import * as z from 'zod'
import { type GrokTimes, grokTimes } from './grok-times.ts'
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'
import { jsonManifest } from './json-document.ts'
import { asRecord, type JsonRecord, listAt, recordAt, stringAt } from './json-record.ts'
import { neighbourPath } from './neighbour-path.ts'
import type { TranscriptFile, TranscriptReader } from './reader.ts'
import { recordedPath } from './session-names.ts'
import type { Telling } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { toldLines } from './told-lines.ts'
import { argumentsOf, joinParts, toolCallText, toolResultText } from './tool-text.ts'

const label = 'Grok'

const lines = toldLines({
  label,
  /** The last time that was found: what follows was said later. */
  state: z.object({ lastMs: z.number() }),
  initial: () => ({ lastMs: 0 }),
  record(record, state, tell, { file, beside }) {
    const times = beside.parsed(neighbourPath(file.path, 'updates.jsonl'), grokTimes)
    const atMs =
      timestampMs(record.timestamp) ?? (times === null ? null : timeOf(record, times, state.lastMs))
    state.lastMs = atMs ?? state.lastMs
    tellRecord(record, tell, atMs)
  },
  identity(_state, _tally, { file, beside }) {
    const summary = jsonManifest(beside.text(summaryPath(file)) ?? '')
    const info = recordAt(summary, 'info')
    return {
      sessionId: stringAt(info, 'id') ?? file.relativePath.split('/').at(-2) ?? file.relativePath,
      title: stringAt(summary, 'generated_title') ?? stringAt(summary, 'session_summary'),
      cwd: recordedPath(info.cwd) ?? recordedPath(summary.cwd),
      branch: stringAt(summary, 'head_branch'),
      createdAtMs: timestampMs(summary.created_at),
      updatedAtMs: timestampMs(summary.last_active_at ?? summary.updated_at),
      invocation: 'grok --resume',
    }
  },
})

export function grokReader(): TranscriptReader {
  return {
    agent: 'grok',
    label,
    notes: {
      evidence: 'sample',
      variables: ['GROK_HOME'],
      resume: 'grok --resume ID',
      remark: '',
    },
    roots({ homeDir, platform, env }) {
      const { isAbsolute, join } = platform === 'win32' ? win32 : posix
      const configured = env.GROK_HOME
      const home = configured !== undefined && isAbsolute(configured) ? configured : join(homeDir, '.grok')
      return [{ path: join(home, 'sessions') }]
    },
    enters: (relativePath) => relativePath.split('/').length <= 2,
    formatOf: (relativePath) => (/^[^/]+\/[^/]+\/chat_history\.jsonl$/.test(relativePath) ? lines : null),
    companions: (file) => [summaryPath(file)],
  }
}

function summaryPath({ path }: TranscriptFile): string {
  return neighbourPath(path, 'summary.json')
}

/** The calls of a message begin when it was said. */
function timeOf(record: JsonRecord, times: GrokTimes, fromMs: number): number | null {
  const callId = stringAt(record, 'tool_call_id')
  if (callId !== null) return times.answered(callId)
  const text = record.type === 'reasoning' ? contentText(record.summary) : contentText(record.content)
  const said = times.said(personsWords(text), fromMs)
  const firstCallId = stringAt(asRecord(listAt(record, 'tool_calls')[0]) ?? {}, 'id')
  return said ?? (firstCallId === null ? null : times.called(firstCallId))
}

function tellRecord(record: JsonRecord, tell: Telling, atMs: number | null): void {
  const text = contentText(record.content)
  switch (record.type ?? record.role) {
    case 'user':
      tellUser(text, stringAt(record, 'synthetic_reason'), tell, atMs)
      break
    case 'assistant':
      tell.assistant(joinParts([stringAt(record, 'reasoning_content') ?? '', text]), atMs)
      for (const call of listAt(record, 'tool_calls')) tellCall(asRecord(call) ?? {}, tell, atMs)
      break
    case 'reasoning':
      tell.assistant(contentText(record.summary), atMs)
      break
    case 'tool_result':
    case 'tool':
      tell.tool(toolResultText(record.content), atMs)
      break
    case 'backend_tool_call':
      tellBackendCall(recordAt(record, 'kind'), tell, atMs)
      break
    case 'system':
      break
    default:
      tell.unknown()
  }
}

/** What the program puts in a person's place is marked, but for what a person threw in while Grok was busy. */
function tellUser(text: string, reason: string | null, tell: Telling, atMs: number | null): void {
  if (reason !== null && reason !== 'interjection') {
    if (!contextReasons.has(reason)) tell.tool(text, atMs)
    return
  }
  tell.user(personsWords(text), atMs)
}

/** What a person typed stands within tags, where the program put something around it. */
function personsWords(text: string): string {
  const { rest, blocks } = takeBlocks(text, opening)
  const queries = blocks.filter(({ tag }) => tag === 'user_query').map(({ content }) => content.trim())
  return queries.length > 0 ? joinParts(queries) : rest
}

/** The same in every session, or instructions for the model. */
const contextReasons = new Set(['environment_context', 'project_instructions', 'system_reminder', 'skills'])
const opening = openingTags([
  ...commonInjectedTags,
  'user_query',
  'user_info',
  'git_status',
  'agent_skills',
  'mcp_servers',
])

function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  const blocks = Array.isArray(content) ? content : []
  return joinParts(blocks.map((block) => stringAt(asRecord(block) ?? {}, 'text') ?? ''))
}

function tellCall(call: JsonRecord, tell: Telling, atMs: number | null): void {
  const { name, arguments: input } = call.function === undefined ? call : recordAt(call, 'function')
  tell.tool(toolCallText(typeof name === 'string' ? name : 'tool', argumentsOf(input)), atMs)
}

function tellBackendCall(call: JsonRecord, tell: Telling, atMs: number | null): void {
  tell.tool(toolCallText(stringAt(call, 'tool_type') ?? 'tool', call.action), atMs)
}
