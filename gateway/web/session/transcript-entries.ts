/** Messages as they are shown: what was said one by one, and tools between in runs that fold. */
import type { SessionMessage } from './transcript-pages.ts'

export type Entry = SaidEntry | ToolsEntry

interface Placed {
  /** Set where the messages of another transcript file begin: the number of the subagent, from 1. */
  readonly subagent: number | null
}

export interface SaidEntry extends Placed {
  readonly kind: 'said'
  readonly message: SessionMessage
}

export interface ToolsEntry extends Placed {
  readonly kind: 'tools'
  readonly steps: readonly ToolStep[]
}

/** A call, or what came of one. The index keeps a line of the call (`Bash: ls`) and the head of a result. */
export interface ToolStep {
  readonly message: SessionMessage
  /** Null for a result. */
  readonly call: ToolCall | null
}

export interface ToolCall {
  readonly name: string
  /** May be empty. */
  readonly argument: string
}

/** How `aiVault.readSession` numbers the messages of subagents. */
const subagentUnits = 1_048_576
const callShape = /^([A-Za-z][\w.-]{0,99})(?:: |$)/
/** A name that no sentence of a result begins with. */
const unmistakable = /[A-Z_].*[a-z]|_|[a-z][A-Z]/
const wordsOfResults = /^(?:error|warning|note|exit|output|success|done|ok|total|info|fatal|failed)/i

export function entriesOf(messages: readonly SessionMessage[]): Entry[] {
  const entries: Entry[] = []
  let run: SessionMessage[] = []
  let last: number | null = null
  let subagent: number | null = null
  const endRun = () => {
    if (run.length > 0) entries.push({ kind: 'tools', steps: stepsOf(run), subagent })
    if (run.length > 0) subagent = null
    run = []
  }
  for (const message of messages) {
    const part = Math.floor(message.index / subagentUnits)
    const startsPart = part > 0 && (last === null ? message.index % subagentUnits === 0 : part !== last)
    if (part !== last) endRun()
    last = part
    if (startsPart) subagent = part
    if (message.role === 'tool') {
      run.push(message)
      continue
    }
    endRun()
    entries.push({ kind: 'said', message, subagent })
    subagent = null
  }
  endRun()
  return entries
}

export function messagesIn(entry: Entry): readonly SessionMessage[] {
  return entry.kind === 'said' ? [entry.message] : entry.steps.map(({ message }) => message)
}

/** `Bash ×3, Edit`: the calls of a run, each name once, in the order they came first. */
export function namesOf({ steps }: ToolsEntry): string {
  const counts = new Map<string, number>()
  for (const { call } of steps) if (call !== null) counts.set(call.name, (counts.get(call.name) ?? 0) + 1)
  return Array.from(counts, ([name, count]) => (count === 1 ? name : `${name} ×${count}`)).join(', ')
}

/** The index says of neither which it is, so calls are known by how they begin and where they stand. */
function stepsOf(run: readonly SessionMessage[]): ToolStep[] {
  const names = new Set<string>()
  let isOpen = false
  return run.map((message) => {
    const [head = '', name = ''] = callShape.exec(message.text) ?? []
    const isCall =
      name !== '' && !wordsOfResults.test(name) && (unmistakable.test(name) || names.has(name) || !isOpen)
    isOpen = isCall
    if (!isCall) return { message, call: null }
    names.add(name)
    return { message, call: { name, argument: message.text.slice(head.length) } }
  })
}
