/** The flags and words of `trawl search`, read into a request. */
import { resolve } from 'node:path'
import { maxLimit, type SearchRequestInput } from '../../protocol/session-search/request.ts'
import { plainText } from '../words/plain-text.ts'
import { type Arguments, usage } from './arguments.ts'
import type { CommandContext } from './command-context.ts'
import { parseWhen, whenAllowed } from './when.ts'

const command = 'trawl search'

export type CliRequest = SearchRequestInput & { executionHostId: string }

/** @throws Refusal `usage`. */
export function readRequest(given: Arguments, context: CommandContext): CliRequest {
  const query = given.words.join(' ')
  if (given.words.length === 0) throw usage('What shall be searched for?', command)
  const executionHostId = given.text('host') ?? 'all'
  const since = given.text('since')
  const sinceIso = since === undefined ? undefined : parseWhen(since, context.clock.now())
  if (sinceIso === null) throw usage(`--since takes ${whenAllowed}.`, command)
  const sort = choice(given, 'sort', ['relevance', 'newest'])
  const scope = choice(given, 'scope', ['conversation', 'all'])
  const limit = given.text('limit')
  if (limit !== undefined && !(/^\d{1,3}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= maxLimit))
    throw usage(`--limit takes a whole number from 1 to ${maxLimit}.`, command)
  const scopePaths = given.list('path').map((path) => readScopePath(path, executionHostId, context.cwd))
  if (sort === 'relevance' && executionHostId === 'all')
    context.stderr.write(
      'Hits of several hosts are ordered by time; --sort relevance works with one --host.\n',
    )
  const agents = given.list('agent')
  const cursor = given.text('cursor')
  return {
    query,
    executionHostId,
    paging: 'complete',
    ...(scope === undefined ? {} : { scope }),
    ...(limit === undefined ? {} : { limit: Number(limit) }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(given.isSet('wait') ? { freshness: 'wait-until-current' as const } : {}),
    ...(given.isSet('debug') ? { debug: true } : {}),
    filters: {
      ...(agents.length === 0 ? {} : { agents: [...agents] }),
      ...(scopePaths.length === 0 ? {} : { scopePaths }),
      ...(sinceIso === undefined ? {} : { since: sinceIso }),
      ...(sort === undefined ? {} : { sort }),
    },
  }
}

function choice<Word extends string>(
  given: Arguments,
  flag: string,
  words: readonly Word[],
): Word | undefined {
  const text = given.text(flag)
  const word = words.find((each) => each === text)
  if (text !== undefined && word === undefined) throw usage(`--${flag} takes ${words.join(' or ')}.`, command)
  return word
}

/** A path means the host's own; only this machine's may be said relative to where the command runs. */
function readScopePath(path: string, executionHostId: string, cwd: string): string {
  if (/^(?:[/~]|[A-Za-z]:[\\/]|\\\\)/.test(path)) return path
  if (executionHostId.trim() === 'local') return resolve(cwd, path)
  throw usage(
    `--path ${plainText(path)}: paths are those of the hosts, so they must be absolute. A relative one works with --host local.`,
    command,
  )
}
