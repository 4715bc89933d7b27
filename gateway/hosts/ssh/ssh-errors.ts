/** What can go wrong on the way to an SSH host, as the reasons of wire.md §4 with a sentence each. */
import { TrawlError } from '../../../protocol/rpc/errors.ts'
import type { UnreachableReason } from '../../../protocol/session-search/response.ts'

/**
 * The sentence is for the log and for callers of the same machine (`LinkReport.detail`): it may name paths, keys and
 * what the server wrote. Other callers are given the reason alone.
 */
export function unreachable(reason: UnreachableReason, sentence: string, cause?: unknown): TrawlError {
  return new TrawlError('unreachable', sentence, { reason }, cause)
}

const offlineSentences: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no address is known for that name',
  EAI_AGAIN: 'the name could not be looked up',
  EAI_FAIL: 'the name could not be looked up',
  ECONNREFUSED: 'nothing listens there',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no network to it',
  EHOSTDOWN: 'it is down',
  ENETDOWN: 'the network is down',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
}

/** Where a connection attempt stands; told when it ends there. */
export type ConnectStage = 'connecting' | 'greeting' | 'logging in' | 'starting the agent'

/** Turns what a socket or ssh2 raised while connecting into a reason and a sentence. */
export function connectFailure(thrown: unknown, place: string, stage: ConnectStage): TrawlError {
  if (thrown instanceof TrawlError) return thrown
  const { code, level, message } = readError(thrown)
  if (code === 'ETIMEDOUT') return unreachable('timeout', `${place} did not answer.`, thrown)
  const offline = typeof code === 'string' ? offlineSentences[code] : undefined
  if (offline !== undefined) return unreachable('offline', `${place} cannot be reached: ${offline}.`, thrown)
  if (message.includes('Too many authentication failures')) {
    return unreachable(
      'auth-failed',
      `${place} ended the login after too many keys. Name the right one with IdentityFile and set IdentitiesOnly yes.`,
      thrown,
    )
  }
  if (message.includes('Connection lost before handshake')) {
    const sentence = `${place} closed the connection before the SSH handshake; it may be overloaded or block this machine.`
    return unreachable('offline', sentence, thrown)
  }
  if (level === 'client-timeout') return unreachable('timeout', `${place} stopped answering.`, thrown)
  // ssh2 puts the number of an SSH disconnect message into `code`.
  if (stage === 'logging in' && typeof code === 'number') {
    return unreachable('auth-failed', `${place} ended the login: ${message}.`, thrown)
  }
  return unreachable(
    'protocol',
    `${place} and this program do not understand each other (${stage}): ${message}.`,
    thrown,
  )
}

function readError(thrown: unknown): { code: unknown; level: unknown; message: string } {
  if (!(thrown instanceof Error)) return { code: undefined, level: undefined, message: String(thrown) }
  const code = 'code' in thrown ? thrown.code : undefined
  const level = 'level' in thrown ? thrown.level : undefined
  return { code, level, message: thrown.message.replace(/\.$/, '') }
}
