/** Tells Kimi's `wire.jsonl`: the newer log of events, and the older one of messages between its halves. */
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'
import { logRecords } from './json-document.ts'
import { asRecord, type JsonRecord, listAt, recordAt, stringAt } from './json-record.ts'
import { recordedPath } from './session-names.ts'
import type { Telling } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { argumentsOf, joinParts, toolCallText, toolResultText } from './tool-text.ts'

interface Said {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly text: string
  readonly atMs: number | null
  /** A person's prompt, at which an undo stops; only those take part that came since the context was emptied. */
  readonly prompt?: boolean
}

/**
 * @param ownOnly leaves out what a fork has copied from the session it was made of.
 * @returns the working directory that the log itself names, or null.
 */
export function tellKimiWire(
  bytes: Buffer,
  tell: Telling,
  ownOnly: boolean,
): { readonly cwd: string | null } {
  const wire = new KimiWire(tell)
  for (const record of logRecords(bytes)) {
    if (record === null) tell.bad()
    else wire.record(record)
  }
  return wire.finish(ownOnly)
}

class KimiWire {
  readonly #tell: Telling
  readonly #said: Said[] = []
  /** How many messages an undo cannot reach: what came before the context was emptied or summarised. */
  #floor = 0
  #cwd: string | null = null
  /** Where a fork's own messages begin. */
  #forkedAt = 0
  #open: { readonly stepId: string | null; readonly texts: string[]; atMs: number | null } | null = null

  constructor(tell: Telling) {
    this.#tell = tell
  }

  record(record: JsonRecord): void {
    const atMs = timestampMs(record.time ?? record.timestamp)
    const type = stringAt(record, 'type')
    if (type === null) this.#older(recordAt(record, 'message'), atMs)
    else if (type === 'context.append_message') this.#message(recordAt(record, 'message'), atMs)
    else if (type === 'context.append_loop_event') this.#loopEvent(recordAt(record, 'event'), atMs)
    else if (type === 'context.undo') this.#undo(Number(record.count))
    else if (type === 'context.clear') this.#floorHere()
    else if (type === 'forked') {
      this.#floorHere()
      this.#forkedAt = this.#floor
    } else if (type === 'context.apply_compaction') {
      this.#say('tool', stringAt(record, 'summary') ?? stringAt(record, 'contextSummary') ?? '', atMs)
      this.#floorHere()
    } else if (type === 'config.update') this.#cwd ??= recordedPath(record.cwd)
    else if (type === 'profile.bind')
      this.#cwd ??= recordedPath(recordAt(record, 'environmentDisclosure').cwd)
    else if (!silentTypes.has(type) && !silentFamilies.has(type.split('.')[0] ?? '')) this.#tell.unknown()
  }

  finish(ownOnly: boolean): { readonly cwd: string | null } {
    this.#close()
    const told = ownOnly ? this.#said.slice(this.#forkedAt) : this.#said
    for (const { role, text, atMs } of told) this.#tell[role](text, atMs)
    return { cwd: this.#cwd }
  }

  /** What a person said comes with its origin; a reminder or a hook's words have another. */
  #message(message: JsonRecord, atMs: number | null): void {
    const text = partsText(message.content)
    const origin = recordAt(message, 'origin')
    const kind = stringAt(origin, 'kind') ?? 'user'
    if (message.role === 'assistant') this.#say('assistant', text, atMs)
    else if (message.role === 'tool') this.#say('tool', text, atMs)
    else if (message.role !== 'user') this.#tell.unknown()
    else if (kind === 'user') {
      this.#close()
      this.#said.push({ role: 'user', text: takeBlocks(text, opening).rest, atMs, prompt: true })
    } else if (kind === 'skill_activation' || kind === 'plugin_command') {
      // The text is the skill's; the person typed its name and what followed.
      const words = [origin.skillName ?? origin.commandName, origin.skillArgs ?? origin.commandArgs]
      const typed = `/${words.filter((word) => typeof word === 'string' && word !== '').join(' ')}`
      this.#close()
      if (origin.trigger === 'user-slash') this.#said.push({ role: 'user', text: typed, atMs, prompt: true })
    } else if (!silentOrigins.has(kind)) this.#say('tool', text, atMs)
    for (const call of listAt(message, 'toolCalls')) this.#call(asRecord(call) ?? {}, atMs)
  }

  #loopEvent(event: JsonRecord, atMs: number | null): void {
    switch (event.type) {
      case 'content.part':
        this.#part(recordAt(event, 'part'), stringAt(event, 'stepUuid'), atMs)
        break
      case 'tool.call':
        this.#call(event, atMs)
        break
      case 'tool.result':
        this.#say('tool', resultText(recordAt(event, 'result')), atMs)
        break
      case 'step.begin':
      case 'step.end':
        break
      default:
        this.#tell.unknown()
    }
  }

  /** The parts of one step are one message. */
  #part(part: JsonRecord, stepId: string | null, atMs: number | null): void {
    const text = partsText([part])
    if (text === '') return
    if (this.#open === null || this.#open.stepId !== stepId) {
      this.#close()
      this.#open = { stepId, texts: [], atMs }
    }
    this.#open.texts.push(text)
    this.#open.atMs = atMs ?? this.#open.atMs
  }

  #call(call: JsonRecord, atMs: number | null): void {
    const named = call.function === undefined ? call : recordAt(call, 'function')
    const name = stringAt(named, 'name') ?? 'tool'
    this.#say('tool', toolCallText(name, argumentsOf(named.args ?? named.arguments)), atMs)
  }

  #older({ type, payload: given }: JsonRecord, atMs: number | null): void {
    const payload = asRecord(given) ?? {}
    switch (type) {
      case 'TurnBegin':
      case 'SteerInput':
        this.#close()
        this.#said.push({ role: 'user', text: takeBlocks(partsText(payload.user_input), opening).rest, atMs })
        break
      case 'ContentPart':
        this.#part(payload, null, atMs)
        break
      case 'ToolCall':
        this.#call(payload, atMs)
        break
      case 'ToolResult':
        this.#say('tool', resultText(recordAt(payload, 'return_value')), atMs)
        break
      default:
        if (typeof type !== 'string' || !olderSilentTypes.has(type)) this.#tell.unknown()
    }
  }

  /** Takes back the last prompts, with all that came after them. */
  #undo(count: number): void {
    this.#close()
    let left = Number.isSafeInteger(count) ? count : 0
    while (left > 0 && this.#said.length > this.#floor) if (this.#said.pop()?.prompt === true) left -= 1
  }

  #floorHere(): void {
    this.#close()
    this.#floor = this.#said.length
  }

  #say(role: Said['role'], text: string, atMs: number | null): void {
    this.#close()
    this.#said.push({ role, text, atMs })
  }

  #close(): void {
    if (this.#open !== null)
      this.#said.push({ role: 'assistant', text: joinParts(this.#open.texts), atMs: this.#open.atMs })
    this.#open = null
  }
}

function partsText(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = Array.isArray(content) ? content : []
  return joinParts(
    parts.map((value) => {
      const part = asRecord(value) ?? {}
      return typeof value === 'string' ? value : (stringAt(part, 'text') ?? stringAt(part, 'think') ?? '')
    }),
  )
}

function resultText(result: JsonRecord): string {
  const output = toolResultText(result.output)
  return output.trim() === '' ? (stringAt(result, 'message') ?? '') : output
}

const opening = openingTags([...commonInjectedTags, 'system'])

/** Reminders for the model, and summaries that come as records of their own. */
const silentOrigins = new Set(['injection', 'compaction_summary'])

const silentTypes = new Set(['context.update_token_count', 'context.spliced', 'context.undone'])
/** Settings, counts, and what repeats the context: a prompt comes again as the message it becomes. */
const silentFamilies = new Set([
  'agents_md',
  'config',
  'cron',
  'full_compaction',
  'goal',
  'interaction',
  'interruptionReminder',
  'llm',
  'mcp',
  'metadata',
  'micro_compaction',
  'permission',
  'plan',
  'plan_mode',
  'plugin',
  'profile',
  'prompt',
  'runtime',
  'skill',
  'staleGuard',
  'swarm',
  'swarm_mode',
  'task',
  'todo',
  'token_counting',
  'tools',
  'tower_mode',
  'turn',
  'usage',
])
const olderSilentTypes = new Set([
  'ApprovalRequest',
  'ApprovalRequestResolved',
  'ApprovalResponse',
  'BtwBegin',
  'BtwEnd',
  'CompactionBegin',
  'CompactionEnd',
  'HookRequest',
  'HookResolved',
  'HookTriggered',
  'MCPLoadingBegin',
  'MCPLoadingEnd',
  'MCPStatusSnapshot',
  'Notification',
  'PlanDisplay',
  'QuestionRequest',
  'StatusUpdate',
  'StepBegin',
  'StepInterrupted',
  'StepRetry',
  'SubagentEvent',
  'ToolCallPart',
  'ToolCallRequest',
  'TurnEnd',
])
