/** Folds a line-by-line transcript for the agents whose records need no more than a small state of their own. */
import * as z from 'zod'
import { type JsonRecord, parseRecord } from './json-record.ts'
import {
  type Beside,
  type LinesFormat,
  type SessionFacts,
  type TranscriptFile,
  type TranscriptFold,
  type TranscriptKind,
  type TranscriptMessage,
  UnknownFoldState,
  type UnreadCounts,
} from './reader.ts'
import {
  emptyTally,
  type SessionIdentity,
  type Tally,
  Telling,
  tallyFacts,
  tallyKind,
  tallyState,
  tallyUnread,
} from './telling.ts'

/** Where a transcript lies, for what is to be looked up beside it. */
export interface ToldFile {
  readonly file: TranscriptFile
  readonly beside: Beside
}

/** @typeParam State what the agent's records say of their session: small plain JSON, changed in place. */
export interface ToldLines<State> {
  readonly label: string
  readonly state: z.ZodType<State>
  initial(): State
  /** Whether the file holds a subagent's work. */
  isPart?(file: TranscriptFile, beside: Beside): boolean
  /** One record, of any shape. */
  record(record: JsonRecord, state: State, tell: Telling, told: ToldFile): void
  /** Instead of `record`, for lines that are no JSON. */
  line?(text: string, state: State, tell: Telling, told: ToldFile): void
  /** Whose the messages are; asked anew for each batch, so that manifests are as fresh as it. */
  identity(state: State, tally: Tally, told: ToldFile): SessionIdentity
}

export function toldLines<State>(lines: ToldLines<State>): LinesFormat {
  return {
    kind: 'lines',
    open: (file, beside, saved) => new ToldFold(lines, { file, beside }, saved),
  }
}

class ToldFold<State> implements TranscriptFold {
  readonly #lines: ToldLines<State>
  readonly #told: ToldFile
  readonly #tally: Tally
  readonly #state: State
  readonly #tell: Telling
  #emit: ((message: TranscriptMessage) => void) | null = null

  constructor(lines: ToldLines<State>, told: ToldFile, saved: unknown) {
    this.#lines = lines
    this.#told = told
    const { tally, state } = openState(lines, saved)
    this.#tally = tally
    this.#state = state
    const isPart = lines.isPart?.(told.file, told.beside) ?? false
    this.#tell = new Telling((message) => this.#emit?.(message), isPart, tally)
  }

  line(text: string, emit: (message: TranscriptMessage) => void): void {
    this.#emit = emit
    if (this.#lines.line !== undefined) this.#lines.line(text, this.#state, this.#tell, this.#told)
    else if (text.trim() !== '') this.#record(text)
    this.#emit = null
  }

  skipLine(): void {
    this.#tell.bad()
  }

  kind(): TranscriptKind {
    return tallyKind(this.#tally, this.#identity())
  }

  facts(): SessionFacts {
    return tallyFacts(this.#lines.label, this.#told.file, this.#tally, this.#identity())
  }

  unread(): UnreadCounts {
    return tallyUnread(this.#tally)
  }

  save(): unknown {
    return structuredClone({ version: 1, tally: this.#tally, state: this.#state })
  }

  #record(text: string): void {
    const record = parseRecord(text)
    if (record === null) this.#tell.bad()
    else this.#lines.record(record, this.#state, this.#tell, this.#told)
  }

  #identity(): SessionIdentity {
    return this.#lines.identity(this.#state, this.#tally, this.#told)
  }
}

function openState<State>(lines: ToldLines<State>, saved: unknown): { tally: Tally; state: State } {
  if (saved === undefined) return { tally: emptyTally(), state: lines.initial() }
  const parsed = z.object({ version: z.literal(1), tally: tallyState, state: lines.state }).safeParse(saved)
  if (!parsed.success)
    throw new UnknownFoldState(`not a fold of a transcript of ${lines.label}`, { cause: parsed.error })
  return parsed.data
}
