/**
 * `repo:`, `path:` and `branch:`: where a session worked. Folded as Unicode folds, which SQL's `lower` does not.
 * Where its transcript lies is no part of it: who may not be shown that path could find it out by asking.
 */
import { cwdKey } from '../index/cwd-key.ts'
import type { SqlRow } from '../index/driver/driver.ts'
import { textOrNull } from '../index/read.ts'
import type { QueryOperators, Values } from './query-operators.ts'

/** @returns a test of a row of `sessions` (cwd, cwd_key, branch); null where the query names no place. */
export function placeMatcher(
  { repo, path, branch }: QueryOperators,
  platform: NodeJS.Platform,
): ((session: SqlRow) => boolean) | null {
  const given = [repo, path, branch].filter(({ any, none }) => any.length + none.length > 0)
  if (given.length === 0) return null
  const inRepo = allowed(repo, (value) => contains(lastTwoParts, slashed(value)))
  const inPath = allowed(path, (value) => pathTest(value, platform))
  const onBranch = allowed(branch, (value) =>
    contains((row) => folded(textOrNull(row, 'branch') ?? ''), folded(value)),
  )
  return (session) => inRepo(session) && inPath(session) && onBranch(session)
}

type Test = (session: SqlRow) => boolean

function allowed({ any, none }: Values<string>, testOf: (value: string) => Test): Test {
  const [wanted, refused] = [any.map(testOf), none.map(testOf)]
  return (session) =>
    (wanted.length === 0 || wanted.some((test) => test(session))) && !refused.some((test) => test(session))
}

function contains(textOf: (session: SqlRow) => string, value: string): Test {
  return (session) => textOf(session).includes(value)
}

/** An absolute path is that folder and what lies below, so that `/work/app` is not `/work/app-other`. */
function pathTest(value: string, platform: NodeJS.Platform): Test {
  const key = cwdKey(value, platform)
  if (key === null) {
    // The home folder of whoever asks is not this machine's; what follows it may be.
    const part = slashed(value.replace(/^~(?=[/\\])/, ''))
    return contains((session) => slashed(textOrNull(session, 'cwd') ?? ''), part)
  }
  const below = key.endsWith('/') ? key : `${key}/`
  return (session) => {
    const other = textOrNull(session, 'cwd_key')
    return other !== null && (other === key || other.startsWith(below))
  }
}

function lastTwoParts(session: SqlRow): string {
  return slashed(textOrNull(session, 'cwd') ?? '')
    .split(/\/+/)
    .filter((part) => part !== '')
    .slice(-2)
    .join('/')
}

/** Either kind of slash is typed for the other. */
function slashed(text: string): string {
  return folded(text).replaceAll('\\', '/')
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase()
}
