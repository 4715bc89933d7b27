/** What a tool answers: one value as structure and as text, or a sentence with the next step where it could not. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { type ErrorCode, TrawlError } from '../../protocol/rpc/errors.ts'
import { plainText } from '../words/plain-text.ts'
import { estimateTokens } from './token-budget.ts'

/** Calls one of the gateway's methods for the caller of the tool. @throws TrawlError. */
export type AskGateway = (method: string, params: object, signal: AbortSignal) => Promise<unknown>

export interface Answer {
  readonly structure: Record<string, unknown>
  readonly text: string
}

export function isWithin({ structure, text }: Answer, maxTokens: number): boolean {
  return estimateTokens(text) <= maxTokens && estimateTokens(JSON.stringify(structure)) <= maxTokens
}

export function toolResult({ structure, text }: Answer): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: structure }
}

const nextSteps: Partial<Record<ErrorCode, string>> = {
  unknown_host: 'Call list_hosts for the ids there are, or leave executionHostId out.',
  unreachable:
    'Call list_hosts to see why. Without executionHostId the hosts that answer are still searched.',
  timeout: 'Call list_hosts to see whether it answers. Without executionHostId the other hosts are searched.',
  not_found:
    'Take executionHostId, agent and sessionId from a hit of search_sessions, all three, as they stand there.',
  forbidden: 'The owner of the gateway decides what this credential may do; ask the person you work for.',
  invalid_input: 'Correct what is named and call again.',
  unsupported: 'Another host may offer it: see list_hosts.',
  response_too_large: 'Call again with a smaller limit.',
}

/** A failed call as the model sees it. What is wrong inside stays in the log. */
export function toolError(thrown: unknown): CallToolResult {
  const error = TrawlError.from(thrown)
  const { reason, retryAfterSec, correlationId } = error.details
  const sentence = plainText(error.message).replace(/[.!?]?$/, '.')
  const words = [
    sentence,
    reason === undefined ? '' : `Reason: ${plainText(reason)}.`,
    retryAfterSec === undefined ? '' : `Wait ${retryAfterSec} s and call again.`,
    correlationId === undefined ? '' : `The gateway's log has it under ${plainText(correlationId)}.`,
    nextSteps[error.code] ?? '',
  ]
  return refusal(words.filter((word) => word !== '').join(' '))
}

export function refusal(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
