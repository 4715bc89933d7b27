/** Why a session cannot be read, in a sentence, and what to do about it. */
import type { LegReport, LinkState, ReadSessionResponse } from '../../client/browser.ts'
import { TrawlError } from '../../client/browser.ts'
import { sayWhy } from '../../words/say-why.ts'
import { plainLine } from '../text/plain-text.ts'

export interface Trouble {
  readonly kind: 'trouble'
  readonly sentence: string
  /** `again`: the same may work later. `anew`: only from the beginning. Null: nothing here helps. */
  readonly remedy: 'again' | 'anew' | null
  /** It is the link to the gateway, and over once that is back. */
  readonly isLink: boolean
}

interface Place {
  readonly executionHostId: string
  readonly agent: string
}

export function sayTrouble(thrown: unknown, place: Place, link: LinkState): Trouble {
  const error = TrawlError.from(thrown)
  const host = plainLine(place.executionHostId)
  if (link.kind !== 'ready' && error.code === 'unreachable')
    return {
      ...again('The gateway cannot be reached. This goes on by itself once it is back.'),
      isLink: true,
    }
  switch (error.code) {
    case 'unreachable':
      return again(`${host} could not be asked: ${whyUnreachable(error)}. What is shown stays.`)
    case 'timeout':
      return again(`${host} did not answer in time. What is shown stays.`)
    case 'rate_limited':
      return again(`Too many calls in a short time. Wait ${error.details.retryAfterSec ?? 1} s.`)
    case 'not_found':
      return again(
        `${host} has no such session of ${plainLine(place.agent)}, or none any more: its transcript was moved or deleted, or is not indexed yet.`,
      )
    case 'forbidden':
      return never(
        'This device may search, but not read sessions. Pair it again, and let the owner allow reading: trawl pair',
      )
    case 'unknown_host':
      return never(
        `This gateway knows no host ${host}. It was removed, or this address comes from another gateway.`,
      )
    case 'invalid_input':
      return never('This address names no session. Open one from the list.')
    case 'response_too_large':
      return never(`A message of this session is too large to be sent. On ${host}: trawl show`)
    default:
      return again(`${host} could not give the session: ${plainLine(error.message)}.`)
  }
}

export function sayRefused(
  answer: Exclude<ReadSessionResponse, { kind: 'messages' }>,
  place: Place,
): Trouble {
  const host = plainLine(place.executionHostId)
  switch (answer.kind) {
    case 'stale-cursor':
    case 'malformed-cursor':
      return {
        ...again('The transcript was rewritten while it was read, so what follows may not fit.'),
        remedy: 'anew',
      }
    case 'unavailable': {
      const leg: LegReport = {
        executionHostId: host,
        outcome: 'unavailable',
        reason: answer.reason,
        durationMs: 0,
      }
      return again(`${host} gives no sessions now: ${sayWhy(leg)}.`)
    }
  }
}

/** Reasons are open strings on the wire; those of later versions have no words here. */
function whyUnreachable({ details }: TrawlError): string {
  const leg = {
    executionHostId: '',
    outcome: 'unreachable',
    reason: details.reason,
    durationMs: 0,
  } as LegReport
  return details.reason === 'timeout' ? 'no answer in time' : (sayWhy(leg) ?? 'no reason given')
}

function again(sentence: string): Trouble {
  return { kind: 'trouble', sentence, remedy: 'again', isLink: false }
}

function never(sentence: string): Trouble {
  return { kind: 'trouble', sentence, remedy: null, isLink: false }
}
