/** Reads why the system's ssh gave up: it says so on stderr, in English, and exits with 255. */
import type { TrawlError } from '../../../protocol/rpc/errors.ts'
import type { UnreachableReason } from '../../../protocol/session-search/response.ts'
import { unreachable } from './ssh-errors.ts'

const shownUnits = 600

/** The first that fits counts: a changed host key, say, is also a failed verification. */
const signs: readonly {
  readonly pattern: RegExp
  readonly reason: UnreachableReason
  readonly advice: (target: string) => string
}[] = [
  {
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED|revoked/i,
    reason: 'host-key',
    advice: () => 'Someone may stand in between, or the server has a new key.',
  },
  {
    pattern: /host key verification failed|no .*host key is known|strict checking/i,
    reason: 'host-key',
    advice: (target) => `Its key is not on record. Log in once with: ssh ${target}`,
  },
  {
    pattern: /permission denied|too many authentication failures|no supported authentication/i,
    reason: 'auth-failed',
    advice: (target) => `See what it takes with: ssh -v ${target}`,
  },
  {
    pattern: /timed out|timeout, server/i,
    reason: 'timeout',
    advice: () => 'It may be down, or a firewall drops the connection.',
  },
  {
    pattern: /bad configuration option|bad owner or permissions|can't open user config|unsupported option/i,
    reason: 'not-configured',
    advice: () => 'The SSH configuration needs an edit.',
  },
  {
    pattern:
      /could not resolve|connection refused|no route to host|unreachable|connection (?:closed|reset)|lost connection|broken pipe|kex_exchange/i,
    reason: 'offline',
    advice: () => 'Is it up, and the name right?',
  },
]

/** For an exit status of 255, which ssh keeps for its own failures. */
export function systemSshFailure(stderr: string, target: string): TrawlError {
  const text = stderr.trim()
  const sign = signs.find(({ pattern }) => pattern.test(text))
  const said = text === '' ? 'It said nothing.' : `It wrote: ${text.slice(-shownUnits)}`
  const advice = sign === undefined ? '' : ` ${sign.advice(target)}`
  return unreachable(sign?.reason ?? 'offline', `ssh could not reach ${target}.${advice} ${said}`)
}
