/** Says how a query was read, for `debug`. Only what the caller wrote, and what was made of it [response.debug-on]. */
import type { QueryReading } from '../../protocol/session-search/query-reading.ts'
import { cwdKey } from '../index/cwd-key.ts'
import { isoTime } from './hit.ts'
import type { RungName } from './plan.ts'
import { resolveDate } from './query-date.ts'
import type { ReadOperator } from './query-operators.ts'
import type { QueryText, TakenAsText } from './query-text.ts'
import type { FilterContext } from './session-filter.ts'

export interface Answered {
  /** The rung that answered; null where no words were looked for. */
  readonly rung: RungName | null
  readonly repairs: ReadonlyMap<string, string>
  readonly foundAny: boolean
}

const reasonWords: Readonly<Record<TakenAsText['because'], string>> = {
  'unknown-operator': 'there is no such operator, so it is text',
  'no-value': 'an operator needs its value right after the colon, so it is text',
  'bad-value': 'the operator takes no such value, so it is text',
  number: 'a minus before a digit makes a number; put the word in quotes to leave it out',
  flag: 'it reads as a command-line flag; put the word in quotes to leave it out',
  unfinished: 'the operator has no value yet, so it was left out',
  'short-prefix': 'a star takes at least two letters before it; the word was looked for as it is',
  'no-words': 'there is no word in it, so it was left out',
}

/** @param context what relative dates are counted from, and whose path rules hold. */
export function describeReading(query: QueryText, answered: Answered, context: FilterContext): QueryReading {
  const { terms, without, read, literal } = query
  const written = (chosen: typeof terms) => chosen.map((term) => term.raw)
  return {
    words: written(terms.filter((term) => !term.quoted && !term.prefix)),
    phrases: written(terms.filter((term) => term.quoted && !term.prefix)),
    prefixes: written(terms.filter((term) => term.prefix)),
    common: written(terms.filter((term) => term.common)),
    without: without.map((term) => (term.prefix ? `${term.raw}*` : term.raw)),
    operators: read.operators.map((operator) => ({
      name: operator.name,
      value: operator.part.value,
      negative: operator.negative,
      means: meaningOf(operator, context),
    })),
    asText: read.asText.map(({ text, because }) => ({ text, because: reasonWords[because] })),
    repairs: Array.from(answered.repairs, ([from, to]) => ({ from, to })),
    literal,
    tier: answered.foundAny ? (answered.rung ?? 'operators') : 'none',
  }
}

function meaningOf(operator: ReadOperator, { platform, nowMs }: FilterContext): string {
  const not = operator.negative ? 'not ' : ''
  switch (operator.name) {
    case 'agent':
      return `sessions ${not}of ${operator.value}`
    case 'host':
      return 'nothing here: which hosts are asked is decided at the gateway'
    case 'repo':
      return `folders whose last two parts do ${not}hold "${operator.value}"`
    case 'path':
      return cwdKey(operator.value, platform) === null
        ? `folders or transcripts whose path does ${not}hold "${operator.value}"`
        : `${not}the folder ${cwdKey(operator.value, platform)} and what lies below`
    case 'branch':
      return `branches that do ${not}hold "${operator.value}"`
    case 'role':
      return `messages ${not}of role ${operator.value}`
    case 'before':
      return `${not}touched before ${isoTime(resolveDate(operator.value, nowMs))}`
    case 'after':
      return `${not}touched at or after ${isoTime(resolveDate(operator.value, nowMs))}`
  }
}
