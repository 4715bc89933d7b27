/** Expands what ssh_config writes in place of values: `~`, `%h` and its like, `${VARIABLE}`. */
import { isAbsolute, join } from 'node:path'
import { unreachable } from './ssh-errors.ts'

/** One character each, as in ssh_config(5), `%` itself included. */
export type TokenValues = Readonly<Record<string, string>>

/** @throws TrawlError `unreachable` / `not-configured` for a token that is not known in this place. */
export function expandTokens(text: string, tokens: TokenValues, directive: string): string {
  return text.replace(/%(.?)/gs, (_, token: string) => {
    const value = Object.hasOwn(tokens, token) ? tokens[token] : undefined
    if (value === undefined)
      throw unreachable('not-configured', `${directive} holds %${token}, which is not known here.`)
    return value
  })
}

export interface PathExpansion {
  readonly tokens: TokenValues
  readonly homeDir: string
  readonly variables: Readonly<Record<string, string | undefined>>
}

/**
 * A path of ssh_config as an absolute one. A relative path starts from the home directory: a gateway that serves in
 * the background has no other place a user could mean.
 * @throws TrawlError `unreachable` / `not-configured` for an unknown token, an unset variable, or another user's `~name`.
 */
export function expandPath(text: string, expansion: PathExpansion, directive: string): string {
  const { homeDir, variables } = expansion
  const named = text.replace(/\$\{([^}]*)\}/g, (_, name: string) => {
    const value = variables[name]
    if (value === undefined)
      throw unreachable('not-configured', `${directive} uses \${${name}}, which is not set.`)
    return value
  })
  const path = expandTokens(named, expansion.tokens, directive)
  if (path === '~') return homeDir
  if (path.startsWith('~/')) return join(homeDir, path.slice(2))
  if (path.startsWith('~')) {
    throw unreachable('not-configured', `${directive} ${text}: the home of another user is not looked up.`)
  }
  return isAbsolute(path) ? path : join(homeDir, path)
}
