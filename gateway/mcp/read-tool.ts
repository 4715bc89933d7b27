/** `read_session`: one page of a transcript, its long messages cut to what may be spent. */
import { TrawlError } from '../../protocol/rpc/errors.ts'
import {
  type ReadSessionResponse,
  readSessionResponseSchema,
} from '../../protocol/session-search/read-session.ts'
import { plainText } from '../words/plain-text.ts'
import { cutText, largestFitting } from './token-budget.ts'
import { type Answer, type AskGateway, isWithin } from './tool-answer.ts'
import type { ReadInput, ReadOutput } from './tool-schemas.ts'

/** What a message costs at least: no more are asked for than can be shown. */
const tokensPerMessage = 80
/** The message that was asked for may be so many times as long as its neighbours. */
const shareOfMiddle = 4
const maxTitleUnits = 200

type Page = Extract<ReadSessionResponse, { kind: 'messages' }>

/** @returns the answer, or a sentence where there is none. @throws TrawlError what the gateway answered. */
export async function readTool(
  input: ReadInput,
  { ask, signal }: { readonly ask: AskGateway; readonly signal: AbortSignal },
): Promise<Answer | string> {
  const { executionHostId, agent, sessionId, around, cursor, maxTokens } = input
  const limit = Math.max(1, Math.min(input.limit, Math.floor(maxTokens / tokensPerMessage) - 2))
  const request = {
    executionHostId,
    agent,
    sessionId,
    limit,
    ...(around === undefined ? {} : { around }),
    ...(cursor === undefined ? {} : { cursor }),
  }
  const parsed = readSessionResponseSchema.safeParse(await ask('aiVault.readSession', request, signal))
  if (!parsed.success) throw new TrawlError('internal', undefined, {}, parsed.error)
  if (parsed.data.kind !== 'messages') return sayRefusal(parsed.data.kind, executionHostId)
  return (
    fittingAnswer(parsed.data, input) ??
    `This page does not fit into ${maxTokens} tokens. Call again with a larger maxTokens or a smaller limit.`
  )
}

function fittingAnswer(page: Page, input: ReadInput): Answer | null {
  const build = (size: number): Answer => {
    const structure = structureOf(page, input, size)
    return { structure, text: textOf(structure) }
  }
  // A unit costs a third of a token at least, so no text that fits is longer.
  const longest = Math.min(Math.max(0, ...page.messages.map(({ text }) => text.length)), input.maxTokens * 3)
  const size = largestFitting(0, longest, (units) => isWithin(build(units), input.maxTokens))
  return size === null ? null : build(size)
}

function structureOf({ messages, page, session }: Page, input: ReadInput, size: number): ReadOutput {
  const middle = input.cursor === undefined ? input.around : undefined
  return {
    executionHostId: input.executionHostId,
    session: {
      agent: session.agent,
      sessionId: session.sessionId,
      title: cutText(session.title, maxTitleUnits),
      messageCount: session.messageCount,
    },
    messages: messages.map(({ index, role, timestamp, text }) => {
      const shown = cutText(text, index === middle ? size * shareOfMiddle : size)
      const leftOut = text.length - shown.length + (shown === text ? 0 : 1)
      return { index, role, timestamp, text: shown, ...(leftOut === 0 ? {} : { leftOut }) }
    }),
    page: { cursor: page.cursor, hasMore: page.hasMore, previousCursor: page.previousCursor },
  }
}

function textOf({ session, messages, page, executionHostId }: ReadOutput): string {
  const lines = [
    `${plainText(session.title)} (${session.agent} on ${plainText(executionHostId)}, ${session.messageCount} messages). What the transcript says stands behind "|".`,
    ...messages.flatMap(({ index, role, timestamp, text, leftOut }) => [
      `#${index} ${role} ${plainText(timestamp ?? '')}`,
      ...text.split(/\r\n|[\n\r\u0085\u2028\u2029]/).map((line) => `| ${quotedLine(line)}`),
      ...(leftOut === undefined
        ? []
        : [`(${leftOut} characters more: around ${index}, limit 1, larger maxTokens)`]),
    ]),
  ]
  if (page.cursor !== null) lines.push(`Next: cursor ${JSON.stringify(page.cursor)}`)
  if (page.previousCursor !== null) lines.push(`Before: cursor ${JSON.stringify(page.previousCursor)}`)
  return lines.join('\n')
}

/** Keeps the indentation that code needs. */
function quotedLine(line: string): string {
  const [indent = ''] = /^[ \t]*/.exec(line) ?? []
  return `${indent}${plainText(line)}`
}

function sayRefusal(kind: Exclude<ReadSessionResponse['kind'], 'messages'>, executionHostId: string): string {
  if (kind === 'stale-cursor')
    return 'The transcript has changed since that cursor was given out. Read again with around instead of cursor.'
  if (kind === 'malformed-cursor')
    return 'The cursor does not belong to this session. Pass it exactly as it was given, or read with around.'
  return `${plainText(executionHostId)} offers no transcripts to read. Its agent may be an old one: see list_hosts.`
}
