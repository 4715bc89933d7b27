/** Folds the records of one Codex transcript into messages and facts. */
import * as z from 'zod'
import {
  codexFacts,
  codexFactsState,
  emptyCodexFacts,
  noteMeta,
  noteThreadName,
  noteTime,
} from './codex-facts.ts'
import { type CodexFamily, type FamilyCounts, familyCounts, familyCountsState } from './codex-families.ts'
import { codexRecord } from './codex-records.ts'
import { isOwnMeta, isReplayed, newReplay, replayState } from './codex-replay.ts'
import { codexUtterance } from './codex-sayings.ts'
import { codexIndexTitle } from './codex-titles.ts'
import { codexAssistantParts, codexUserWords } from './codex-user-words.ts'
import { type JsonRecord, parseRecord } from './json-record.ts'
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
import { recordedPath, titleSource } from './session-names.ts'
import { joinParts } from './tool-text.ts'

/** Tool calls remembered, so that one that is written twice is indexed once. */
const rememberedCalls = 128

const foldState = z.object({
  version: z.literal(1),
  facts: codexFactsState,
  replay: replayState,
  calls: z.array(z.array(z.number())),
  families: familyCountsState,
  emitted: z.boolean(),
  badLines: z.number(),
  unknownRecords: z.number(),
})

/** What the messages of one record have in common. */
interface Origin {
  readonly family: CodexFamily
  readonly atMs: number | null
  readonly emit: (message: TranscriptMessage) => void
}

export class CodexFold implements TranscriptFold {
  readonly #label: string
  readonly #file: TranscriptFile
  readonly #beside: Beside
  readonly #state: z.infer<typeof foldState>
  readonly #calls: RecentKeys
  readonly #families: FamilyCounts

  constructor(label: string, file: TranscriptFile, beside: Beside, saved?: unknown) {
    this.#label = label
    this.#file = file
    this.#beside = beside
    this.#state = openState(saved)
    this.#calls = recentKeys(rememberedCalls, this.#state.calls)
    this.#families = familyCounts(this.#state.families)
  }

  line(text: string, emit: (message: TranscriptMessage) => void): void {
    if (text.trim() === '') return
    const record = parseRecord(text)
    if (record === null) {
      this.#state.badLines += 1
      return
    }
    const { type, payload, atMs } = codexRecord(record)
    if (type === 'session_meta') {
      this.#meta(payload, atMs)
      return
    }
    if (isReplayed(this.#state.replay, payload, atMs)) return
    noteTime(this.#state.facts, atMs)
    this.#record(type, payload, atMs, emit)
  }

  skipLine(): void {
    this.#state.badLines += 1
  }

  kind(): TranscriptKind {
    const { kind } = this.#state.facts
    return kind === 'worker' || !this.#state.emitted ? 'none' : kind
  }

  facts(): SessionFacts {
    return codexFacts(this.#state.facts, this.#file, this.#label, (id) =>
      codexIndexTitle(this.#file, this.#beside, id),
    )
  }

  unread(): UnreadCounts {
    return { badLines: this.#state.badLines, unknownRecords: this.#state.unknownRecords }
  }

  save(): unknown {
    const { facts, replay } = this.#state
    const remembered = { calls: this.#calls.save(), families: this.#families.save() }
    return { ...this.#state, facts: { ...facts }, replay: { ...replay }, ...remembered }
  }

  #meta(payload: JsonRecord, atMs: number | null): void {
    if (!isOwnMeta(this.#state.replay, payload, atMs)) return
    noteMeta(this.#state.facts, payload)
    noteTime(this.#state.facts, atMs)
  }

  #record(type: string, payload: JsonRecord, atMs: number | null, emit: Origin['emit']): void {
    const { saying, family } = codexUtterance(type, payload)
    const origin: Origin = { family, atMs, emit }
    switch (saying.kind) {
      case 'message':
        if (saying.role === 'user') this.#user(saying.texts, origin)
        // Developer and system messages are the program's.
        if (saying.role === 'assistant') this.#assistant(saying.texts, origin)
        break
      case 'reasoning':
        this.#reasoning(saying.texts, origin)
        break
      case 'tool':
        this.#tool('call', saying.use.call, saying.use.callId, origin)
        this.#tool('result', saying.use.result, saying.use.callId, origin)
        break
      case 'remark':
        this.#tool('remark', saying.text, null, origin)
        break
      case 'goal':
        // The record comes again with every change of the goal's state; the words were said once.
        if (this.#calls.add(keyOf('goal', saying.text)))
          this.#user([saying.text], { ...origin, family: 'goal' })
        break
      case 'name':
        noteThreadName(this.#state.facts, saying.name)
        break
      case 'place':
        // The latest one: a thread can be moved to another folder.
        this.#state.facts.cwd = recordedPath(saying.cwd) ?? this.#state.facts.cwd
        break
      case 'unknown':
        this.#state.unknownRecords += 1
        break
      case 'nothing':
        break
    }
  }

  #user(texts: readonly string[], origin: Origin): void {
    const parts = texts.map(codexUserWords)
    for (const aside of parts.flatMap(({ asides }) => asides)) this.#tool('aside', aside, null, origin)
    const words = joinParts(parts.map((part) => part.words))
    // The events hold the parts of a message without anything between them.
    const identity = parts.map((part) => part.words).join('')
    if (words === '' || !this.#isNew(['user', identity], origin)) return
    this.#state.facts.firstWords ??= titleSource(words)
    // What a subagent is told was written by the agent that called it.
    this.#said(this.#state.facts.kind === 'part' ? 'assistant' : 'user', words, origin)
  }

  #assistant(texts: readonly string[], origin: Origin): void {
    // Part by part, because the events come part by part.
    const parts = texts.flatMap(codexAssistantParts)
    const fresh = parts.filter(
      (part) => part.trim() !== '' && this.#isNew(['assistant', part.trim()], origin),
    )
    this.#said('assistant', joinParts(fresh), origin)
  }

  /** Reasoning is searched as the assistant's text, and is no message of its own. */
  #reasoning(texts: readonly string[], origin: Origin): void {
    const fresh = texts.filter(
      (text) => text.trim() !== '' && this.#isNew(['reasoning', text.trim()], origin),
    )
    this.#emit({ role: 'assistant', text: joinParts(fresh), timestampMs: origin.atMs }, origin)
  }

  #tool(kind: string, text: string, callId: string | null, origin: Origin): void {
    if (text.trim() === '') return
    const fresh = callId === null ? this.#isNew([kind, text], origin) : this.#calls.add(keyOf(kind, callId))
    if (fresh) this.#emit({ role: 'tool', text, timestampMs: origin.atMs }, origin)
  }

  #said(role: 'user' | 'assistant', text: string, origin: Origin): void {
    if (text === '') return
    this.#state.facts.messageCount += 1
    this.#emit({ role, text, timestampMs: origin.atMs }, origin)
  }

  #emit(message: TranscriptMessage, origin: Origin): void {
    if (message.text === '' || this.#state.facts.kind === 'worker') return
    this.#state.emitted = true
    origin.emit(message)
  }

  #isNew(identity: readonly string[], origin: Origin): boolean {
    return this.#families.isNew(identity, origin.family, origin.atMs)
  }
}

function openState(saved: unknown): z.infer<typeof foldState> {
  if (saved === undefined) {
    const start = { facts: emptyCodexFacts(), replay: newReplay(), calls: [], families: [] }
    return { version: 1, ...start, emitted: false, badLines: 0, unknownRecords: 0 }
  }
  const parsed = foldState.safeParse(saved)
  if (!parsed.success) throw new UnknownFoldState('not a fold of a Codex transcript', { cause: parsed.error })
  return parsed.data
}
