/** Muse: where its sessions lie and how their log of events reads. */
import { posix, win32 } from 'node:path'
import * as z from 'zod'
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'
import { asRecord, type JsonRecord, listAt, recordAt, stringAt } from './json-record.ts'
import type { TranscriptReader } from './reader.ts'
import { keyOf } from './recent-keys.ts'
import { recordedPath } from './session-names.ts'
import type { Telling } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { toldLines } from './told-lines.ts'
import { argumentsOf, toolCallText, toolResultText } from './tool-text.ts'

const label = 'Muse'
/** What a person throws in while a run goes on may begin the next run: it is then written twice. */
const samePromptMs = 60_000

const museState = z.object({
  title: z.string().nullable(),
  cwd: z.string().nullable(),
  branch: z.string().nullable(),
  lastPrompt: z.number().nullable(),
  lastPromptAtMs: z.number().nullable(),
})
type MuseState = z.infer<typeof museState>

const lines = toldLines<MuseState>({
  label,
  state: museState,
  initial: () => ({ title: null, cwd: null, branch: null, lastPrompt: null, lastPromptAtMs: null }),
  isPart: ({ relativePath }) => relativePath.includes('/subagent/'),
  record: tellRecord,
  identity(state, _tally, { file }) {
    const isPart = file.relativePath.includes('/subagent/')
    return {
      sessionId: file.relativePath.split('/')[3] ?? file.relativePath,
      title: state.title,
      cwd: state.cwd,
      branch: state.branch,
      kind: isPart ? 'part' : 'session',
      invocation: 'muse resume',
    }
  },
})

export function museReader(): TranscriptReader {
  return {
    agent: 'muse',
    label,
    notes: {
      evidence: 'sample',
      variables: ['XDG_DATA_HOME'],
      resume: 'muse resume ID',
      remark: 'Subagents belong to their session.',
    },
    roots({ homeDir, platform, env }) {
      const { isAbsolute, join } = platform === 'win32' ? win32 : posix
      const configured = env.XDG_DATA_HOME
      const data =
        configured !== undefined && isAbsolute(configured) ? configured : join(homeDir, '.local', 'share')
      return [{ path: join(data, 'muse', 'sessions') }]
    },
    enters: (relativePath) => !relativePath.split('/').includes('tool-outputs'),
    formatOf: (relativePath) => (transcriptPath.test(relativePath) ? lines : null),
  }
}

/** `YYYY/MM/DD/<session>/session.jsonl`, and `subagent/<child>/session.jsonl` below it, however deep. */
const transcriptPath = /^\d{4}\/\d\d\/\d\d\/[^/]+\/(?:subagent\/[^/]+\/)*session\.jsonl$/

function tellRecord(record: JsonRecord, state: MuseState, tell: Telling): void {
  const atMs = timestampMs(record.recorded_at)
  const payload = recordAt(record, 'payload')
  const place = { ...payload, ...asRecord(payload.record) }
  if (record.payload_type === 'runtime.session.metadata' || payload.kind === 'route_facts') {
    state.cwd ??= recordedPath(place.workspace_root) ?? recordedPath(place.cwd)
    state.branch = stringAt(place, 'git_branch') ?? stringAt(place, 'branch') ?? state.branch
    state.title = stringAt(place, 'title') ?? state.title
    tell.at(atMs)
  } else if (payload.kind === 'run') tellEvent(recordAt(payload, 'event'), state, tell, atMs)
  else if (typeof record.payload_type !== 'string' && stringAt(record, 'retained_frame') === null)
    tell.unknown()
}

function tellEvent(event: JsonRecord, state: MuseState, tell: Telling, atMs: number | null): void {
  switch (event.kind) {
    case 'started':
      tellPrompt(stringAt(event, 'prompt') ?? '', state, tell, atMs)
      break
    case 'inbox_item_queued':
      // Tasks in the background deliver by the same way what no person has said.
      if (recordAt(event, 'source').source === 'user_steer')
        tellPrompt(
          stringAt(recordAt(event, 'payload'), 'prompt') ?? stringAt(event, 'body') ?? '',
          state,
          tell,
          atMs,
        )
      break
    case 'assistant_message_committed':
    case 'reasoning_summary_committed':
    case 'reasoning_committed':
      tell.assistant(stringAt(event, 'text') ?? '', atMs)
      break
    case 'assistant_tool_calls_committed':
      for (const value of listAt(event, 'tool_calls')) {
        const call = asRecord(value) ?? {}
        tell.tool(toolCallText(stringAt(call, 'name') ?? 'tool', argumentsOf(call.args)), atMs)
      }
      break
    case 'tool_result_batch_committed':
      for (const value of listAt(event, 'results')) tell.tool(toolResultText(value), atMs)
      break
    case 'terminal':
      if (event.terminal === 'failed') tell.tool(stringAt(event, 'reason') ?? '', atMs)
      break
    case 'user_prompt_display':
      // The prompt once more, as it was shown.
      break
    default:
      // Of the many events about the run, those without words are nothing to search for.
      if (stringAt(event, 'text') !== null || stringAt(event, 'prompt') !== null) tell.unknown()
  }
}

function tellPrompt(prompt: string, state: MuseState, tell: Telling, atMs: number | null): void {
  const words = takeBlocks(prompt, opening).rest
  if (words === '') return
  const key = keyOf(words)
  const again =
    key === state.lastPrompt &&
    atMs !== null &&
    state.lastPromptAtMs !== null &&
    Math.abs(atMs - state.lastPromptAtMs) <= samePromptMs
  state.lastPrompt = key
  state.lastPromptAtMs = atMs
  if (!again) tell.user(words, atMs)
}

const opening = openingTags(commonInjectedTags)
