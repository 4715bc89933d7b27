/** Reads single values of ssh_config, and refuses what this SSH client cannot keep. */
import type { SshDirectives } from './config-file.ts'
import { unreachable } from './ssh-errors.ts'
import { parsePort } from './target.ts'

export interface KeepAlive {
  /** 0 is off. */
  readonly intervalMs: number
  /** The link is dead after this many unanswered intervals, and one more. */
  readonly countMax: number
}

/** On unless the configuration says otherwise: a peer that is switched off sends nothing that could be noticed. */
const defaultAliveIntervalMs = 15_000
const defaultAliveCountMax = 3
const secondsPerUnit: Readonly<Record<string, number>> = {
  '': 1,
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
}

export function readYes(value: string | null): boolean {
  return value !== null && /^(yes|true)$/i.test(value)
}

export function readPort(value: string | null): number | null {
  if (value === null) return null
  const port = parsePort(value)
  if (Number.isNaN(port)) throw unreachable('not-configured', `Port ${value} is no number from 1 to 65535.`)
  return port
}

/** A span such as `10`, `90s` or `1m30s`, in milliseconds. `none` and 0 are null: no bound. */
export function readSeconds(value: string | null, directive: string): number | null {
  if (value === null || value.toLowerCase() === 'none') return null
  if (!/^(\d+[smhdw]?)+$/i.test(value))
    throw unreachable('not-configured', `${directive} ${value} is no span of time.`)
  let seconds = 0
  for (const [, count, unit] of value.matchAll(/(\d+)([smhdw]?)/gi)) {
    seconds += Number(count) * (secondsPerUnit[(unit ?? '').toLowerCase()] ?? 1)
  }
  // A timer holds no more than 2^31 - 1 ms.
  return seconds === 0 ? null : Math.min(seconds * 1000, 2 ** 31 - 1)
}

/** An interval or a count of 0 switches it off; some gear does not answer and would lose a good link. */
export function readKeepAlive(interval: string | null, count: string | null): KeepAlive {
  if (count !== null && !/^\d{1,6}$/.test(count)) {
    throw unreachable('not-configured', `ServerAliveCountMax ${count} is no number.`)
  }
  const countMax = count === null ? defaultAliveCountMax : Number(count)
  const asked =
    interval === null ? defaultAliveIntervalMs : (readSeconds(interval, 'ServerAliveInterval') ?? 0)
  return { intervalMs: countMax === 0 ? 0 : asked, countMax }
}

/**
 * Some directives change where the connection goes or whom it trusts, and this client cannot keep them. Going on
 * without them would reach the wrong place or trust a key that was taken back, so the host is refused.
 */
export function requireFollowable(directives: SshDirectives, host: string): void {
  const set = (name: string) => {
    const value = directives.get(name)
    return value !== null && value[0]?.toLowerCase() !== 'none'
  }
  if (set('proxycommand') && !set('proxyjump')) {
    throw unreachable(
      'not-configured',
      `${host} is reached through a ProxyCommand, which is not run. Use ProxyJump.`,
    )
  }
  if (set('revokedhostkeys')) {
    const sentence = `RevokedHostKeys is set for ${host} and cannot be read here. Mark the keys @revoked in known_hosts.`
    throw unreachable('not-configured', sentence)
  }
}
