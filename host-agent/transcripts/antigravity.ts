/** Antigravity's command line: where its conversations lie and how they read. */
import { posix, win32 } from 'node:path'
import * as z from 'zod'
import { antigravityFolder } from './antigravity-history.ts'
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'
import { asRecord, type JsonRecord, listAt, stringAt } from './json-record.ts'
import { neighbourPath } from './neighbour-path.ts'
import type { TranscriptReader } from './reader.ts'
import type { Telling } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { toldLines } from './told-lines.ts'
import { argumentsOf, joinParts, toolCallText } from './tool-text.ts'

const label = 'Antigravity'

const lines = toldLines({
  label,
  /** The first prompt tells a conversation in the list of prompts that does not name it. */
  state: z.object({ firstPromptAtMs: z.number().nullable() }),
  initial: () => ({ firstPromptAtMs: null as number | null }),
  record: (record, state, tell) => {
    const hadWords = tell.tally.firstWords !== null
    tellStep(record, tell)
    if (!hadWords && tell.tally.firstWords !== null) state.firstPromptAtMs = timestampMs(record.created_at)
  },
  identity({ firstPromptAtMs }, { firstWords }, { file, beside }) {
    const sessionId = file.relativePath.slice(0, file.relativePath.indexOf('/'))
    const historyPath = neighbourPath(file.root.path, 'history.jsonl')
    return {
      sessionId,
      cwd: antigravityFolder(beside, historyPath, { sessionId, firstWords, firstPromptAtMs }),
      ...(editorRoot.test(file.root.path) ? {} : { invocation: 'agy --conversation' }),
    }
  },
})

export function antigravityReader(): TranscriptReader {
  return {
    agent: 'antigravity',
    label,
    notes: {
      evidence: 'sample',
      variables: ['GEMINI_CLI_HOME'],
      resume: 'agy --conversation ID',
      remark:
        "Of the editor's conversations those are read that it writes in the same way; its encrypted ones are not.",
    },
    roots({ homeDir, platform, env }) {
      const { isAbsolute, join } = platform === 'win32' ? win32 : posix
      const configured = env.GEMINI_CLI_HOME
      const home = configured !== undefined && isAbsolute(configured) ? configured : homeDir
      return ['antigravity-cli', 'antigravity'].map((folder) => ({
        path: join(home, '.gemini', folder, 'brain'),
      }))
    },
    enters: (relativePath) => transcriptFolder.test(relativePath),
    formatOf: (relativePath) => (transcriptPath.test(relativePath) ? lines : null),
  }
}

/** The editor's conversations are not the command line's to go on with. */
const editorRoot = /[\\/]antigravity[\\/]brain$/
const transcriptFolder = /^[^/]+(?:\/\.system_generated(?:\/logs)?)?$/
const transcriptPath = /^[^/]+\/\.system_generated\/logs\/transcript\.jsonl$/

function tellStep(step: JsonRecord, tell: Telling): void {
  const type = stringAt(step, 'type')
  const source = stringAt(step, 'source')
  if (type === null) {
    tell.unknown()
    return
  }
  const atMs = timestampMs(step.created_at)
  const content = stringAt(step, 'content') ?? ''
  if (type === 'USER_INPUT' || type === 'REQUEST') {
    if (source === 'USER_EXPLICIT' || source === 'USER') tellRequest(content, tell, atMs)
    else tell.tool(content, atMs)
  } else if (type === 'PLANNER_RESPONSE') {
    tell.assistant(joinParts([stringAt(step, 'thinking') ?? '', content]), atMs)
    for (const call of listAt(step, 'tool_calls')) tellCall(asRecord(call) ?? {}, tell, atMs)
  } else if (!contextTypes.has(type)) {
    // Each tool has a type of its own, and new ones come: the model's step is what it brought back.
    if (source === 'MODEL' || type === 'CHECKPOINT' || type === 'ERROR_MESSAGE') tell.tool(content, atMs)
    else tell.unknown()
  }
}

function tellRequest(content: string, tell: Telling, atMs: number | null): void {
  const { rest, blocks } = takeBlocks(content, opening)
  const requests = blocks
    .filter(({ tag }) => tag === 'USER_REQUEST')
    .map(({ content: words }) => words.trim())
  tell.user(requests.length > 0 ? joinParts(requests) : rest, atMs)
}

const opening = openingTags([
  ...commonInjectedTags,
  'USER_REQUEST',
  'USER_SETTINGS_CHANGE',
  'ADDITIONAL_METADATA',
  'SYSTEM_MESSAGE',
])
const contextTypes = new Set([
  'CONVERSATION_HISTORY',
  'SYSTEM_MESSAGE',
  'EPHEMERAL_MESSAGE',
  'KNOWLEDGE_ARTIFACTS',
])

/** Arguments are JSON values inside strings: `"\"/tmp\""`. */
function tellCall(call: JsonRecord, tell: Telling, atMs: number | null): void {
  const given = Object.entries(asRecord(argumentsOf(call.args)) ?? {})
  const words = given.filter(([name]) => name !== 'toolAction').map(([, value]) => unquoted(value))
  tell.tool(toolCallText(stringAt(call, 'name') ?? 'tool', joinParts(words).replaceAll('\n', ' ')), atMs)
}

function unquoted(value: unknown): string {
  if (typeof value !== 'string') return value === null || value === undefined ? '' : JSON.stringify(value)
  try {
    const inner: unknown = JSON.parse(value)
    return typeof inner === 'string' ? inner : value
  } catch {
    return value
  }
}
