/** Folds the records of one transcript of Claude Code, or of an agent that writes as it does, into messages and facts. */
import * as z from 'zod'
import { claudeFacts, claudeFactsState, emptyClaudeFacts, noteName, noteRecord } from './claude-facts.ts'
import type { ClaudeLike } from './claude-like.ts'
import { type ClaudePlace, claudePlace } from './claude-place.ts'
import { claudeUserWords } from './claude-user-words.ts'
import { asRecord, type JsonRecord, parseRecord, recordAt, stringAt } from './json-record.ts'
import {
  type Beside,
  type SessionFacts,
  type TranscriptFile,
  type TranscriptFold,
  type TranscriptKind,
  type TranscriptMessage,
  UnknownFoldState,
  type UnreadCounts,
} from './reader.ts'
import { keyOf, type RecentKeys, recentKeys } from './recent-keys.ts'
import { shellOfPath } from './resume-command.ts'
import { titleSource } from './session-names.ts'
import { timestampMs } from './timestamps.ts'
import { joinParts, toolCallText, toolResultText } from './tool-text.ts'

/** Blocks and messages remembered, so that a repeated line is not indexed twice. */
const rememberedKeys = 256

const foldState = z.object({
  version: z.literal(1),
  facts: claudeFactsState,
  seen: z.array(z.array(z.number())),
  emitted: z.boolean(),
  badLines: z.number(),
  unknownRecords: z.number(),
})

type Emit = (message: TranscriptMessage) => void

/** What the blocks of one record have in common. */
interface Origin {
  readonly id: string | null
  readonly atMs: number | null
  /** A subagent's record: searched, but neither counted nor naming the session. */
  readonly aside: boolean
  readonly emit: Emit
}

export class ClaudeFold implements TranscriptFold {
  readonly #agent: ClaudeLike
  readonly #file: TranscriptFile
  readonly #beside: Beside
  readonly #place: ClaudePlace
  readonly #shell: 'posix' | 'windows'
  readonly #state: z.infer<typeof foldState>
  readonly #seen: RecentKeys

  constructor(agent: ClaudeLike, file: TranscriptFile, beside: Beside, saved?: unknown) {
    this.#agent = agent
    this.#file = file
    this.#beside = beside
    this.#place = claudePlace(file.relativePath)
    this.#shell = shellOfPath(file.path)
    this.#state = openState(agent, saved)
    this.#seen = recentKeys(rememberedKeys, this.#state.seen)
  }

  line(text: string, emit: Emit): void {
    if (text.trim() === '') return
    const record = parseRecord(text)
    if (record === null) this.#state.badLines += 1
    else this.#record(this.#agent.translate?.(record) ?? record, emit)
  }

  skipLine(): void {
    this.#state.badLines += 1
  }

  kind(): TranscriptKind {
    if (!this.#state.emitted) return 'none'
    return this.#place.isPart ? 'part' : 'session'
  }

  facts(): SessionFacts {
    const manifest = this.#agent.manifest?.(this.#file, this.#beside)
    return claudeFacts(this.#state.facts, this.#place, this.#agent, this.#shell, manifest)
  }

  unread(): UnreadCounts {
    return { badLines: this.#state.badLines, unknownRecords: this.#state.unknownRecords }
  }

  save(): unknown {
    return { ...this.#state, facts: { ...this.#state.facts }, seen: this.#seen.save() }
  }

  #record(record: JsonRecord, emit: Emit): void {
    const atMs = timestampMs(record.timestamp)
    const aside = record.isSidechain === true && !this.#place.isPart
    if (!aside) noteRecord(this.#state.facts, this.#place, record, atMs)
    const message = recordAt(record, 'message')
    const id = stringAt(message, 'id') ?? stringAt(record, 'uuid') ?? stringAt(record, 'timestamp')
    const origin: Origin = { id, atMs, aside: aside || this.#place.isPart, emit }
    switch (record.type) {
      case 'user':
        this.#user(record, message.content, origin)
        break
      case 'assistant':
        this.#assistant(record, message, origin)
        break
      case 'attachment':
        this.#attachment(recordAt(record, 'attachment'), origin)
        break
      case 'tool_use':
      case 'tool_result':
        this.#toolBlock(record, origin)
        break
      default:
        if (noteName(this.#state.facts, record) || silentTypes.has(record.type)) return
        if (this.#agent.silentTypes?.has(record.type) === true) return
        this.#state.unknownRecords += 1
    }
  }

  #user(record: JsonRecord, content: unknown, origin: Origin): void {
    // Marked as not said by a person; results of tools come on such records too and are taken all the same.
    const spoken = record.isMeta !== true
    const notice = record.isCompactSummary === true || isProgramOrigin(record.origin)
    this.#blocks(content, origin, (text) => {
      if (notice) this.#tool(text, origin, text)
      else if (spoken) this.#userText(text, origin)
    })
  }

  #userText(text: string, origin: Origin): void {
    const { words, asides, command } = claudeUserWords(text)
    for (const aside of asides) this.#tool(aside, origin, aside)
    const facts = this.#state.facts
    if (!origin.aside || this.#place.isPart) {
      if (command !== null) facts.command ??= titleSource(command)
      facts.firstWords ??= titleSource(words)
    }
    // What a subagent is told was written by the agent that called it.
    this.#said(origin.aside ? 'assistant' : 'user', words, origin)
  }

  #assistant(record: JsonRecord, message: JsonRecord, origin: Origin): void {
    // Errors of the service, written by the program in the assistant's place.
    const synthetic = record.isApiErrorMessage === true || message.model === '<synthetic>'
    this.#blocks(message.content, origin, (text) => {
      if (synthetic) this.#tool(text, origin, text)
      else this.#said('assistant', text, origin)
    })
  }

  #attachment(attachment: JsonRecord, origin: Origin): void {
    // Typed while the agent was busy and delivered in the middle of its turn. Other attachments are context.
    if (attachment.type !== 'queued_command' || attachment.isMeta === true) return
    const notice = attachment.commandMode === 'task-notification' || isProgramOrigin(attachment.origin)
    this.#blocks(attachment.prompt, origin, (text) => {
      if (notice) this.#tool(text, origin, text)
      else this.#userText(text, origin)
    })
  }

  /** Gives each run of text blocks to `said`, in order, and emits the tool blocks between them. */
  #blocks(content: unknown, origin: Origin, said: (text: string) => void): void {
    if (typeof content === 'string') {
      if (content.trim() !== '' && this.#isNew(origin, 'text', content)) said(content)
      return
    }
    if (!Array.isArray(content)) return
    let run: string[] = []
    for (const value of content) {
      const block = asRecord(value)
      if (block === null) continue
      const text = blockText(block)
      if (text !== null) {
        if (text.trim() !== '' && this.#isNew(origin, 'text', text)) run.push(text)
        continue
      }
      if (run.length > 0) said(joinParts(run))
      run = []
      this.#toolBlock(block, origin)
    }
    if (run.length > 0) said(joinParts(run))
  }

  #toolBlock(block: JsonRecord, origin: Origin): void {
    const type = stringAt(block, 'type') ?? ''
    if (type.endsWith('tool_use')) {
      const text = toolCallText(stringAt(block, 'name') ?? 'tool', block.input)
      this.#tool(text, origin, stringAt(block, 'id') ?? text)
    } else if (type.endsWith('tool_result')) {
      const text = toolResultText(block.content ?? block.output)
      this.#tool(text, origin, stringAt(block, 'tool_use_id') ?? '', text)
    }
  }

  #said(role: 'user' | 'assistant', text: string, origin: Origin): void {
    if (text.trim() === '') return
    // One reply is written as several lines with the same id: it counts once.
    if (!origin.aside && (origin.id === null || this.#seen.add(keyOf('count', origin.id)))) {
      this.#state.facts.messageCount += 1
    }
    this.#emit({ role, text, timestampMs: origin.atMs }, origin)
  }

  #tool(text: string, origin: Origin, ...identity: readonly string[]): void {
    if (text.trim() === '' || !this.#isNew(origin, 'tool', ...identity)) return
    this.#emit({ role: 'tool', text, timestampMs: origin.atMs }, origin)
  }

  #emit(message: TranscriptMessage, origin: Origin): void {
    this.#state.emitted = true
    origin.emit(message)
  }

  /** Whether this block of this message comes for the first time. Without any id nothing can be told. */
  #isNew(origin: Origin, kind: string, ...identity: readonly string[]): boolean {
    if (origin.id === null) return true
    return this.#seen.add(keyOf(kind, origin.id, ...identity))
  }
}

function openState({ label }: ClaudeLike, saved: unknown): z.infer<typeof foldState> {
  if (saved === undefined) {
    const facts = emptyClaudeFacts()
    return { version: 1, facts, seen: [], emitted: false, badLines: 0, unknownRecords: 0 }
  }
  const parsed = foldState.safeParse(saved)
  if (!parsed.success)
    throw new UnknownFoldState(`not a fold of a transcript of ${label}`, { cause: parsed.error })
  return parsed.data
}

function blockText(block: JsonRecord): string | null {
  if (block.type === 'text') return stringAt(block, 'text') ?? ''
  if (block.type === 'thinking') return stringAt(block, 'thinking') ?? ''
  return null
}

function isProgramOrigin(origin: unknown): boolean {
  const kind = asRecord(origin)?.kind
  return typeof kind === 'string' && programOrigins.has(kind)
}

const programOrigins = new Set(['task-notification', 'hook', 'system', 'teammate', 'peer', 'coordinator'])

/**
 * Records that say nothing to search for. `summary` names other sessions; a queued prompt comes again when it is
 * delivered; a workflow's `result` is its subagent's last message; `progress` repeats what a subagent's file holds.
 */
const silentTypes: ReadonlySet<unknown> = new Set([
  'summary',
  'system',
  'progress',
  'queue-operation',
  'file-history-snapshot',
  'file-history-delta',
  'permission-mode',
  'mode',
  'agent-name',
  'agent-color',
  'agent-setting',
  'pr-link',
  'frame-link',
  'worktree-state',
  'bridge-session',
  'atis-latch',
  'relocated',
  'continued-in',
  'started',
  'result',
  'tag',
])
