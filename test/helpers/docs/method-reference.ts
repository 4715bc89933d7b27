/** The made parts of docs/methods.md: every method of the table with its members, and every error of the table. */
import type * as z from 'zod'
import { type ErrorCode, type ErrorDetails, errorTable } from '../../../protocol/rpc/errors.ts'
import { type MethodName, methodTable } from '../../../protocol/rpc/methods.ts'
import { withMadeBlocks } from './made-block.ts'
import { code, jsonBlock, listed, tableOf } from './markdown.ts'
import { methodExamples } from './method-examples.ts'
import { type SchemaRow, type SchemaShape, shapesOf } from './schema-rows.ts'

/** @throws Error where the page has no place for a part. */
export function withMethodReference(page: string): string {
  const names = Object.keys(methodTable) as MethodName[]
  return withMadeBlocks(page, {
    index: names
      .map((name) => `- [${code(name)}](#${anchorOf(name)}) ${methodTable[name].summary}`)
      .join('\n'),
    methods: names.map(methodSection).join('\n\n'),
    errors: errorsTable(),
  })
}

/** As GitHub makes it of a heading. */
function anchorOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9-]/g, '')
}

function methodSection(name: MethodName): string {
  const { summary, gateway, result } = methodTable[name]
  const { params, result: answer, errors } = methodExamples[name]
  return [
    `## ${code(name)}`,
    `${summary} ${whoMayCall(name)}`,
    '**Params**',
    shapesTable(shapesOf(gateway, 'input'), 'None.'),
    '**Result**',
    shapesTable(shapesOf(result, 'output'), 'None.'),
    errors.length === 0 ? '' : `**Errors of its own:** ${listed(errors.map(code))}.`,
    '**As in**',
    jsonBlock({ jsonrpc: '2.0', id: 1, method: name, params }),
    jsonBlock({ jsonrpc: '2.0', id: 1, result: answer }),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function whoMayCall(name: MethodName): string {
  const { callers, right, gateway, hostAgent } = methodTable[name]
  const clients = right === null ? 'every paired client' : `paired clients that may ${code(right)}`
  const who = callers === 'owner' ? 'Same-machine callers alone.' : `Same-machine callers, and ${clients}.`
  if (hostAgent === null) return `${who} Only a gateway serves it.`
  const known = Object.keys((hostAgent as z.ZodObject).shape)
  const own = Object.keys((gateway as z.ZodObject).shape).filter((member) => !known.includes(member))
  const but = own.length === 0 ? '' : ` all but ${listed(own.map(code))} of`
  return `${who} A host agent takes${but} the same.`
}

function shapesTable(shapes: readonly SchemaShape[], none: string): string {
  return shapes
    .map(({ when, rows }) => {
      const table =
        rows.length === 0
          ? none
          : tableOf(
              ['member', 'is', 'means'],
              rows.map((row) => [
                code(`${row.member}${row.isRequired ? '' : '?'}`),
                typeWords(row),
                row.meaning,
              ]),
            )
      return when === null ? table : `${code(when)}\n\n${table}`
    })
    .join('\n\n')
}

function typeWords({ type, unlessGiven }: SchemaRow): string {
  return unlessGiven === null ? type : `${type}; ${JSON.stringify(unlessGiven)} where it is left out`
}

function errorsTable(): string {
  const rows = Object.entries(errorTable).map(([name, { rpcCode, exitCode, message }]) => {
    const { when, data = [] } = errorNotes[name as ErrorCode]
    return [String(rpcCode), code(name), message, when, data.map(code).join(', ') || '–', String(exitCode)]
  })
  return tableOf(
    ['`code`', '`data.code`', '`message`, unless it says more', 'when', '`data` also has', 'exit code'],
    rows,
  )
}

const errorNotes: Readonly<
  Record<ErrorCode, { readonly when: string; readonly data?: readonly (keyof ErrorDetails)[] }>
> = {
  parse_error: { when: 'The message is no JSON.' },
  invalid_request: { when: 'It is no JSON-RPC 2.0, nested too deep, or a batch of too many.' },
  method_not_found: { when: 'Whoever was asked does not know the method.' },
  invalid_input: { when: 'A parameter is not allowed.', data: ['issues'] },
  invalid_path: { when: 'A path is not allowed.', data: ['issues'] },
  invalid_pattern: { when: 'A pattern cannot be read.', data: ['issues'] },
  unknown_host: { when: 'The id names no host of this gateway.', data: ['issues'] },
  internal: { when: 'A fault of Trawl; its log has more under the same id.', data: ['correlationId'] },
  unauthorized: { when: 'No credential, or one that is unknown or revoked.' },
  forbidden: { when: 'The credential is good, and this is not for its holder.' },
  not_found: { when: 'There is no such thing, or the caller may not see it.' },
  response_too_large: { when: 'The answer, or a message, is larger than one may be.' },
  unsupported: { when: 'This gateway or host does not offer it.' },
  unreachable: {
    when: 'The host could not be asked; with `strict`, some host has no results.',
    data: ['reason', 'hosts'],
  },
  rate_limited: {
    when: 'Too many calls, or wrong credentials, in too short a time.',
    data: ['retryAfterSec'],
  },
  timeout: { when: 'The host has not answered in its time.' },
  cancelled: { when: 'The caller has cancelled the call, or left.' },
}
