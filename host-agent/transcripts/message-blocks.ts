/** The blocks of a message's content as most agents write them, whatever they call each kind. */
import { asRecord, type JsonRecord, listAt, recordAt, stringAt } from './json-record.ts'
import type { Telling } from './telling.ts'
import { argumentsOf, joinParts, toolCallText, toolResultText } from './tool-text.ts'

/** `callId` is the tool call's own id, null where the agent gives it none. */
export type ContentBlock =
  | { readonly kind: 'text' | 'thought'; readonly text: string }
  | { readonly kind: 'call' | 'result'; readonly text: string; readonly callId: string | null }

/**
 * Content given as one string or as blocks. Pictures, sealed thoughts and the like have no text and are left out;
 * a block of a kind nobody knows is text where it holds some.
 */
export function contentBlocks(content: unknown): readonly ContentBlock[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }]
  if (!Array.isArray(content)) return []
  return content.flatMap((value: unknown) => {
    if (typeof value === 'string') return [{ kind: 'text' as const, text: value }]
    const block = asRecord(value)
    return block === null ? [] : blockOf(block)
  })
}

/** All that was said in content, without its thoughts and tools. */
export function contentText(content: unknown): string {
  return joinParts(contentBlocks(content).flatMap((block) => (block.kind === 'text' ? [block.text] : [])))
}

/** Gives each run of texts and thoughts to `say` as one text and tells the tools between them, in order. */
export function tellRuns(
  blocks: readonly ContentBlock[],
  say: (text: string) => void,
  tell: Telling,
  atMs: number | null,
): void {
  let run: string[] = []
  const endRun = (): void => {
    const text = joinParts(run)
    run = []
    if (text !== '') say(text)
  }
  for (const block of blocks) {
    if (block.kind === 'text' || block.kind === 'thought') run.push(block.text)
    else {
      endRun()
      tell.tool(block.text, atMs)
    }
  }
  endRun()
}

/**
 * Tells an assistant's reply, which counts once, however many runs tools leave of it.
 * @param counted false for what adds nothing to the count: a subagent's words, the rest of a reply already counted.
 */
export function tellReply(
  tell: Telling,
  blocks: readonly ContentBlock[],
  atMs: number | null,
  counted = true,
): void {
  let uncounted = !counted
  const say = (text: string): void => {
    if (uncounted) tell.more(text, atMs)
    else tell.assistant(text, atMs)
    uncounted = true
  }
  tellRuns(blocks, say, tell, atMs)
}

/** Tells a person's content: the words once `wordsOf` has taken the program's out, results of tools as tool text. */
export function tellUser(
  tell: Telling,
  content: unknown,
  atMs: number | null,
  wordsOf: (text: string) => { readonly words: string; readonly asides: readonly string[] },
): void {
  const said: string[] = []
  for (const block of contentBlocks(content)) {
    if (block.kind !== 'text') {
      tell.tool(block.text, atMs)
      continue
    }
    const { words, asides } = wordsOf(block.text)
    for (const aside of asides) tell.tool(aside, atMs)
    said.push(words)
  }
  tell.user(joinParts(said), atMs)
}

function blockOf(block: JsonRecord): ContentBlock[] {
  const type = (stringAt(block, 'type') ?? '').toLowerCase().replaceAll(/[_-]/g, '')
  if (callTypes.has(type)) return [callOf(block)]
  if (resultTypes.has(type)) return [resultOf(block)]
  if (thoughtTypes.has(type)) {
    const text = stringAt(block, 'thinking') ?? stringAt(block, 'text') ?? stringAt(block, 'reasoning')
    return text === null ? [] : [{ kind: 'thought', text }]
  }
  const text = stringAt(block, 'text')
  return text === null || textless.has(type) ? [] : [{ kind: 'text', text }]
}

function callOf(block: JsonRecord): ContentBlock {
  const name = stringAt(block, 'name') ?? stringAt(block, 'toolName') ?? 'tool'
  const input = block.input ?? block.arguments ?? block.args ?? block.parameters
  return { kind: 'call', text: toolCallText(name, argumentsOf(input)), callId: callIdOf(block) }
}

function resultOf(block: JsonRecord): ContentBlock {
  const result = block.content ?? block.output ?? block.result ?? block.text
  return { kind: 'result', text: resultText(result), callId: callIdOf(block) }
}

/** As `toolResultText`, also where the result stands in a result of its own. */
export function resultText(result: unknown): string {
  return toolResultText(asRecord(result)?.result ?? result)
}

function callIdOf(block: JsonRecord): string | null {
  return (
    stringAt(block, 'tool_use_id') ??
    stringAt(block, 'toolCallId') ??
    stringAt(block, 'callId') ??
    stringAt(block, 'id')
  )
}

const callTypes = new Set(['tooluse', 'toolcall', 'servertooluse', 'functioncall'])
const resultTypes = new Set(['toolresult', 'functioncalloutput', 'functioncallresult', 'websearchtoolresult'])
const thoughtTypes = new Set(['thinking', 'reasoning', 'reasoningtext', 'thought'])
const textless = new Set(['image', 'inputimage', 'redactedthinking', 'audio', 'video'])

/** Parts as Google's models speak them (`message.parts`), as blocks. */
export function contentOfParts(message: JsonRecord): readonly ContentBlock[] {
  return listAt(message, 'parts').flatMap((value) => {
    const part = asRecord(value)
    return part === null ? [] : partOf(part)
  })
}

function partOf(part: JsonRecord): ContentBlock[] {
  const call = asRecord(part.functionCall)
  if (call !== null) return [callOf(call)]
  const response = asRecord(part.functionResponse)
  if (response !== null) {
    const result = recordAt(response, 'response')
    const text = toolResultText(response.response) || toolResultText(result.error)
    return [{ kind: 'result', text, callId: callIdOf(response) }]
  }
  const text = stringAt(part, 'text')
  return text === null ? [] : [{ kind: part.thought === true ? 'thought' : 'text', text }]
}
