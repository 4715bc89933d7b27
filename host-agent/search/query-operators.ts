/** A query's operators by meaning: what each narrows the sessions to. Values that mean nothing are no operators. */

import { agentNamePattern } from '../../protocol/session-search/agent-name.ts'
import type { MessageRole } from '../../protocol/session-search/hit.ts'
import type { OperatorPart } from '../../protocol/session-search/query-syntax.ts'
import { type QueryDate, readQueryDate } from './query-date.ts'

/** Any of `any` (or no condition where there is none), and none of `none`. */
export interface Values<Value> {
  readonly any: readonly Value[]
  readonly none: readonly Value[]
}

export interface QueryOperators {
  /** Lower case. */
  readonly agent: Values<string>
  /** Which hosts are asked is the gateway's affair: on a host they narrow nothing. */
  readonly host: Values<string>
  /** Stands in the last two parts of the session's folder. */
  readonly repo: Values<string>
  /** An absolute one is a folder, and what lies below; any other stands in the session's folder or its transcript's path. */
  readonly path: Values<string>
  /** Stands in the name of the session's branch. */
  readonly branch: Values<string>
  /** Whose messages match; what the rest of the session holds does not count. */
  readonly role: Values<MessageRole>
  /** Sessions touched before this instant. */
  readonly before: Values<QueryDate>
  /** Sessions touched at this instant or later. */
  readonly after: Values<QueryDate>
}

const roles: readonly MessageRole[] = ['user', 'assistant', 'tool']

/** One operator, its value understood. */
export type ReadOperator = {
  [Name in keyof QueryOperators]: {
    readonly name: Name
    readonly negative: boolean
    readonly value: QueryOperators[Name]['any'][number]
    readonly part: OperatorPart
  }
}[keyof QueryOperators]

/** @returns null for a value that the operator cannot mean (`before:soon`, `role:boss`): it is text then. */
export function readOperator(part: OperatorPart): ReadOperator | null {
  const { name, value, negative } = part
  switch (name) {
    case 'agent': {
      const agent = value.toLowerCase()
      return agentNamePattern.test(agent) ? { name, negative, value: agent, part } : null
    }
    case 'role': {
      const role = roles.find((each) => each === value.toLowerCase())
      return role === undefined ? null : { name, negative, value: role, part }
    }
    case 'before':
    case 'after': {
      const date = readQueryDate(value)
      return date === null ? null : { name, negative, value: date, part }
    }
    default:
      return { name, negative, value, part }
  }
}

export function gatherOperators(read: readonly ReadOperator[]): QueryOperators {
  return {
    agent: valuesOf(read, 'agent'),
    host: valuesOf(read, 'host'),
    repo: valuesOf(read, 'repo'),
    path: valuesOf(read, 'path'),
    branch: valuesOf(read, 'branch'),
    role: valuesOf(read, 'role'),
    before: valuesOf(read, 'before'),
    after: valuesOf(read, 'after'),
  }
}

/** @returns null where no role is left out. */
export function searchedRoles({ role }: QueryOperators): readonly MessageRole[] | null {
  const left = roles.filter((each) => isAllowed(role, each))
  return left.length === roles.length ? null : left
}

function isAllowed<Value>({ any, none }: Values<Value>, value: Value): boolean {
  return (any.length === 0 || any.includes(value)) && !none.includes(value)
}

function valuesOf<Name extends keyof QueryOperators>(
  read: readonly ReadOperator[],
  name: Name,
): Values<QueryOperators[Name]['any'][number]> {
  const mine = read.filter((each) => each.name === name)
  return {
    any: mine.filter((each) => !each.negative).map((each) => each.value),
    none: mine.filter((each) => each.negative).map((each) => each.value),
  }
}
