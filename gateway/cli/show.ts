/** `trawl show HOST AGENT SESSION`: a transcript on stdout, a page at a time, so that its length costs no memory. */
import {
  maxSessionPage,
  type ReadSessionResponse,
  readSessionResponseSchema,
} from '../../protocol/session-search/read-session.ts'
import { Refusal } from '../refusal.ts'
import { plainLines, plainText } from '../words/plain-text.ts'
import { readArguments, usage } from './arguments.ts'
import { letCatchUp } from './catch-up.ts'
import type { Command, CommandContext } from './command-context.ts'
import { flagsOf } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { openGatewayClient } from './open-gateway-client.ts'
import { sayUnavailable } from './search-lines.ts'
import { readSessionName } from './session-words.ts'
import { createStyle, type Style } from './style.ts'

const command = 'trawl show'
const defaultAround = 50

export type SessionPage = Extract<ReadSessionResponse, { kind: 'messages' }>
export type SessionMessage = SessionPage['messages'][number]

export const show: Command = async (args, context) => {
  const given = readArguments(args, command, flagsOf('show'))
  const name = readSessionName(given, command)
  const around = wholeNumber(given.text('around'), '--around', 0)
  const limit =
    wholeNumber(given.text('limit'), '--limit', 1) ?? (around === undefined ? Infinity : defaultAround)
  const isJson = given.isSet('json')
  const style = createStyle(context.stdout, context.env, given.isSet('no-color'))
  await using client = await openGatewayClient(context)
  await letCatchUp(client, name.executionHostId, context.signal)
  let cursor: string | null = null
  let left = limit
  let isFirst = true
  do {
    const sent = {
      ...name,
      limit: Math.min(left, maxSessionPage),
      ...(cursor !== null ? { cursor } : around === undefined ? {} : { around }),
    }
    const answer = await client.call('aiVault.readSession', sent, context.signal)
    const page = readSessionResponseSchema.parse(answer)
    if (page.kind !== 'messages') throw sayRefused(page, name.executionHostId)
    if (isFirst)
      context.stdout.write(
        isJson ? openJson(page, name.executionHostId) : headOf(page, name.executionHostId, style),
      )
    for (const [at, message] of page.messages.entries())
      context.stdout.write(
        isJson
          ? `${isFirst && at === 0 ? '' : ','}${JSON.stringify(message)}`
          : renderMessage(message, style),
      )
    isFirst = false
    left -= page.messages.length
    cursor = page.page.hasMore && around === undefined ? page.page.cursor : null
    if (cursor !== null && left <= 0) {
      if (!isJson) sayRest(page, context)
      cursor = null
    }
  } while (cursor !== null && !context.signal.aborted)
  if (isJson) context.stdout.write(']}\n')
  return context.signal.aborted ? exitCodes.interrupted : exitCodes.done
}

/** @throws Refusal `usage`. */
function wholeNumber(text: string | undefined, flag: string, least: number): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text) || Number(text) < least)
    throw usage(`${flag} takes a whole number from ${least} on.`, command)
  return Number(text)
}

export function sayRefused(
  page: Exclude<ReadSessionResponse, { kind: 'messages' }>,
  hostId: string,
): Refusal {
  if (page.kind === 'unavailable')
    return new Refusal('in-use', sayUnavailable(page.reason, plainText(hostId)))
  return new Refusal('in-use', 'The transcript has changed while it was read. Start again.')
}

/** The document is written as it is read: its last member is the list of messages. */
function openJson({ session }: SessionPage, executionHostId: string): string {
  return `${JSON.stringify({ schemaVersion: 1, executionHostId, session }).slice(0, -1)},"messages":[`
}

function headOf({ session }: SessionPage, hostId: string, style: Style): string {
  const where = `${plainText(hostId)} · ${plainText(session.agent)} · ${plainText(session.sessionId)}`
  return `${style.bold(plainText(session.title) || '(no title)')}\n${style.dim(`${where} · ${session.messageCount} messages`)}\n\n`
}

function renderMessage(message: SessionMessage, style: Style): string {
  return `${style.bold(headOfMessage(message))}\n${plainLines(message.text)
    .map((line) => (line === '' ? '' : `  ${line}`))
    .join('\n')}\n\n`
}

/** `assistant · 12 · 2026-11-30T10:00:00Z` */
export function headOfMessage({ role, index, timestamp }: SessionMessage): string {
  return [role, String(index), ...(timestamp === null ? [] : [plainText(timestamp)])].join(' · ')
}

function sayRest({ messages, session }: SessionPage, { stderr }: CommandContext): void {
  const next = (messages.at(-1)?.index ?? 0) + 1
  stderr.write(
    `More: of ${session.messageCount} messages those from ${next} on, with --around ${next} or without --limit.\n`,
  )
}
