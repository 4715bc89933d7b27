/** Gathers what a transcript tells – messages, times, first words, counts – and makes the session's facts of it. */
import * as z from 'zod'
import type {
  SessionFacts,
  TranscriptFile,
  TranscriptKind,
  TranscriptMessage,
  UnreadCounts,
  WholeTranscript,
} from './reader.ts'
import { resumeCommand, shellOfPath } from './resume-command.ts'
import { cutTitle, fallbackTitle, titleSource } from './session-names.ts'

/** Small enough to be stored with the file. */
export const tallyState = z.object({
  firstWords: z.string().nullable(),
  createdAtMs: z.number().nullable(),
  updatedAtMs: z.number().nullable(),
  messageCount: z.number(),
  emitted: z.boolean(),
  badLines: z.number(),
  unknownRecords: z.number(),
})
export type Tally = z.infer<typeof tallyState>

export function emptyTally(): Tally {
  return {
    firstWords: null,
    createdAtMs: null,
    updatedAtMs: null,
    messageCount: 0,
    emitted: false,
    badLines: 0,
    unknownRecords: 0,
  }
}

/** What a reader knows of a session beside its messages. */
export interface SessionIdentity {
  readonly sessionId: string
  /** The agent's own title; without one, the first words a person said. */
  readonly title?: string | null
  readonly cwd?: string | null
  readonly branch?: string | null
  /** From a manifest: the session may be older, or have moved later, than its messages say. */
  readonly createdAtMs?: number | null
  readonly updatedAtMs?: number | null
  /** `none` where nothing was said all the same. Default `session`. */
  readonly kind?: TranscriptKind
  /** The words before the id, as `ResumeParts.invocation`; absent, there is no resume command. */
  readonly invocation?: string
  /** What stands behind the invocation in the id's place: a path. */
  readonly resumeWith?: string
}

/** Blank texts are passed over. */
export class Telling {
  readonly tally: Tally
  readonly #isPart: boolean
  readonly #emit: (message: TranscriptMessage) => void

  /** @param isPart of a subagent's transcript: what it is told was written by the agent that called it. */
  constructor(emit: (message: TranscriptMessage) => void, isPart = false, tally = emptyTally()) {
    this.tally = tally
    this.#isPart = isPart
    this.#emit = emit
  }

  user(text: string, atMs: number | null): void {
    if (!this.#isPart) this.tally.firstWords ??= titleSource(text)
    this.#said(this.#isPart ? 'assistant' : 'user', text, atMs)
  }

  assistant(text: string, atMs: number | null): void {
    this.#said('assistant', text, atMs)
  }

  /** The assistant's text that is no message of its own: thoughts, the rest of a reply, a subagent's words. */
  more(text: string, atMs: number | null): void {
    this.#say({ role: 'assistant', text, timestampMs: atMs })
  }

  /** Calls, results, and what a program put into the conversation: searched, not counted. */
  tool(text: string, atMs: number | null): void {
    this.#say({ role: 'tool', text: withoutEscapes(text), timestampMs: atMs })
  }

  /** A time at which the session was alive. */
  at(atMs: number | null): void {
    if (atMs === null) return
    this.tally.createdAtMs = Math.min(this.tally.createdAtMs ?? atMs, atMs)
    this.tally.updatedAtMs = Math.max(this.tally.updatedAtMs ?? atMs, atMs)
  }

  /** A line or record that cannot be read. */
  bad(): void {
    this.tally.badLines += 1
  }

  /** A record of a type this reader does not know. */
  unknown(): void {
    this.tally.unknownRecords += 1
  }

  #said(role: 'user' | 'assistant', text: string, atMs: number | null): void {
    if (this.#say({ role, text, timestampMs: atMs })) this.tally.messageCount += 1
  }

  #say(message: TranscriptMessage): boolean {
    this.at(message.timestampMs)
    if (message.text.trim() === '') return false
    this.tally.emitted = true
    this.#emit(message)
    return true
  }
}

export function tallyKind(tally: Tally, { kind = 'session' }: SessionIdentity): TranscriptKind {
  return tally.emitted ? kind : 'none'
}

export function tallyUnread({ badLines, unknownRecords }: Tally): UnreadCounts {
  return { badLines, unknownRecords }
}

/** A part's own count is 0 and it has no resume command, for it adds nothing to its session's. */
export function tallyFacts(
  label: string,
  file: TranscriptFile,
  tally: Tally,
  identity: SessionIdentity,
): SessionFacts {
  const { sessionId, invocation, resumeWith = identity.sessionId, cwd = null, branch = null } = identity
  const isPart = identity.kind === 'part'
  const title = titleSource(identity.title ?? '') ?? tally.firstWords
  return {
    sessionId,
    title: title === null ? fallbackTitle(label, sessionId) : cutTitle(title),
    cwd,
    branch,
    createdAtMs: furthest(Math.min, tally.createdAtMs, identity.createdAtMs),
    updatedAtMs: furthest(Math.max, tally.updatedAtMs, identity.updatedAtMs) ?? file.writtenAtMs ?? null,
    messageCount: isPart ? 0 : tally.messageCount,
    resumeCommand:
      isPart || invocation === undefined
        ? null
        : resumeCommand({ invocation, sessionId: resumeWith, cwd, shell: shellOfPath(file.path) }),
  }
}

/** A session read whole. @param tellAll tells every message and returns whose they are; what it throws is thrown. */
export function toldWhole(
  label: string,
  file: TranscriptFile,
  tellAll: (tell: Telling) => SessionIdentity,
  isPart = false,
): WholeTranscript {
  const messages: TranscriptMessage[] = []
  const tell = new Telling((message) => messages.push(message), isPart)
  const identity = tellAll(tell)
  return {
    kind: tallyKind(tell.tally, identity),
    facts: tallyFacts(label, file, tell.tally, identity),
    messages,
    unread: tallyUnread(tell.tally),
  }
}

/** For a file that is read elsewhere, or holds no conversation. */
export function nothingTold(label: string, file: TranscriptFile, sessionId: string): WholeTranscript {
  return toldWhole(label, file, () => ({ sessionId, kind: 'none' }))
}

function furthest(
  pick: (a: number, b: number) => number,
  told: number | null,
  recorded: number | null | undefined,
): number | null {
  if (recorded === null || recorded === undefined) return told
  return told === null ? recorded : pick(told, recorded)
}

/** Colours and moves of a terminal would be read as words: `[31mfailed`. */
function withoutEscapes(text: string): string {
  return text.includes('\u001b') ? text.replace(terminalEscape, '') : text
}

// Each part excludes what may follow it, so that no text makes it slow.
const terminalEscape = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z^_])/g
