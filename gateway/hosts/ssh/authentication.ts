/** Logs in with keys, one after the other, and when none fits says what was tried and what to do. */
import type { AnyAuthMethod, AuthenticationType, AuthHandlerMiddleware } from 'ssh2'
import type { TrawlError } from '../../../protocol/rpc/errors.ts'
import { gatherIdentities, type Identities, type Identity } from './identity.ts'
import { quoteForShell } from './remote-command.ts'
import { SingleKeyAgent, SshAgent } from './ssh-agent.ts'
import { unreachable } from './ssh-errors.ts'
import type { SshSettings } from './ssh-settings.ts'

export interface Authentication extends Disposable {
  /** For ssh2's `authHandler`. Reads keys and asks the agent only when called: after the server's key was verified. */
  readonly handler: AuthHandlerMiddleware
  /** The label of the key that was offered last: after a login, the one that fitted. */
  lastTried(): string | null
}

/** What has happened in one login. */
interface Login {
  readonly identities: Identities
  /** Labels of keys that were offered and refused, or that the agent would not sign with. */
  readonly tried: string[]
  readonly unsigned: string[]
  methods: readonly string[]
  isPartly: boolean
}

/** @param onRefused told once, when nothing is left to try */
export function createAuthentication(
  settings: SshSettings,
  onRefused: (error: TrawlError) => void,
): Authentication {
  const agent = settings.agentSocket === null ? null : new SshAgent(settings.agentSocket)
  let isEnded = false
  let login: Login | null = null
  let queue: Identity[] = []

  const refuse = (error: TrawlError) => {
    if (!isEnded) onRefused(error)
    isEnded = true
  }
  const step = async (methods: readonly AuthenticationType[] | null, isPartly: boolean | null) => {
    if (login === null) {
      const identities = await gatherIdentities(settings, agent)
      queue = [...identities.offered]
      login = { identities, tried: [], unsigned: [], methods: [], isPartly: false }
      // With no key at all, the empty attempt is how a server tells what it would take.
      if (queue.length === 0) return { type: 'none', username: settings.user } satisfies AnyAuthMethod
    }
    login.methods = methods ?? login.methods
    login.isPartly ||= isPartly === true
    const takesKeys = methods === null || methods.includes('publickey')
    const next = takesKeys ? queue.shift() : undefined
    if (next === undefined) return refusal(settings, login)
    return toMethod(next, settings.user, login)
  }
  return {
    handler(methods, isPartly, next) {
      step(methods, isPartly).then(
        (outcome) => {
          if (isEnded) return
          if (outcome instanceof Error) refuse(outcome)
          else next(outcome)
        },
        (cause: unknown) => {
          refuse(unreachable('auth-failed', `The keys for ${settings.target.text} could not be read.`, cause))
        },
      )
    },
    lastTried: () => login?.tried.at(-1) ?? null,
    [Symbol.dispose]() {
      isEnded = true
      agent?.[Symbol.dispose]()
    },
  }
}

function toMethod(identity: Identity, username: string, login: Login): AnyAuthMethod {
  login.tried.push(identity.label)
  if (identity.kind === 'file') return { type: 'publickey', username, key: identity.key }
  const agent = new SingleKeyAgent(identity.agent, identity.key, () => login.unsigned.push(identity.label))
  return { type: 'agent', username, agent }
}

/** What happened, to which host, and what to do. */
function refusal(settings: SshSettings, login: Login): TrawlError {
  const { methods, tried, unsigned, identities } = login
  const host = settings.target.text
  const offers = methods.length === 0 ? 'no way to log in' : methods.join(', ')
  const parts = [`${host} refused the login of ${settings.user}: it offers ${offers},`]
  if (login.isPartly) parts.push('and a key alone is not enough there.')
  else if (methods.length > 0 && !methods.includes('publickey'))
    parts.push('and this program logs in with keys only.')
  else if (tried.length === 0) parts.push('and there is no key to show.')
  else
    parts.push(
      `and ${tried.length === 1 ? 'this key does not fit' : 'none of these keys fits'}: ${tried.join('; ')}.`,
    )
  if (unsigned.length > 0) parts.push(`The agent would not sign with ${unsigned.join('; ')}.`)
  if (identities.skipped.length > 0) {
    const skipped = identities.skipped.map(({ what, why }) => `${what} (${why})`)
    parts.push(`Not used: ${skipped.join('; ')}.`)
  }
  const advice = adviceFor(settings, login)
  if (advice !== null) parts.push(`Try: ${advice}`)
  return unreachable('auth-failed', parts.join(' '))
}

function adviceFor(settings: SshSettings, { methods, tried, identities, isPartly }: Login): string | null {
  if (isPartly || (methods.length > 0 && !methods.includes('publickey'))) return null
  const locked = identities.skipped.find(({ isEncrypted }) => isEncrypted)
  if (locked !== undefined) return `ssh-add ${quoteForShell(locked.what)}`
  const port = settings.port === 22 ? '' : `-p ${settings.port} `
  const copy = `ssh-copy-id ${port}${quoteForShell(`${settings.user}@${settings.hostName}`)}`
  return tried.length === 0 ? `ssh-keygen -t ed25519 && ${copy}` : copy
}
