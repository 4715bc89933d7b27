/** The made parts of docs/configuration.md: every key of every table of the configuration file. */
import type * as z from 'zod'
import {
  localHostSchema,
  runtimeHostSchema,
  sshHostSchema,
  topLevelSchema,
} from '../../../gateway/config-schema.ts'
import { machineSettingsFields } from '../../../protocol/machine-settings.ts'
import { withMadeBlocks } from './made-block.ts'
import { code, tableOf } from './markdown.ts'
import { type SchemaRow, shapesOf } from './schema-rows.ts'

const machineTables = Object.keys(machineSettingsFields)
const topRows = rowsOf(topLevelSchema)
/** The part of the page, and the keys that stand in it. `[[hosts]]` has parts of its own, one for each kind of host. */
export const configurationRows: Readonly<Record<string, readonly SchemaRow[]>> = {
  gateway: topRows.filter(({ member }) => member !== 'hosts' && !machineTables.includes(tableIn(member))),
  machine: topRows.filter(({ member }) => machineTables.includes(tableIn(member))),
  'ssh host': rowsOf(sshHostSchema),
  'runtime host': rowsOf(runtimeHostSchema),
  'local host': rowsOf(localHostSchema),
}

/** @throws Error where the page has no place for a part. */
export function withConfigurationReference(page: string): string {
  const tables = Object.entries(configurationRows).map(([part, rows]) => [part, keysTable(rows)] as const)
  return withMadeBlocks(page, Object.fromEntries(tables))
}

/** A table whose keys are free is told with what they may be. */
function rowsOf(schema: z.ZodType): SchemaRow[] {
  const rows = shapesOf(schema, 'input').flatMap((shape) => shape.rows)
  const meanings = new Map(rows.map(({ member, meaning }) => [`${member}.KEY`, meaning]))
  return rows
    .filter(({ member }) => !rows.some((other) => other.member === `${member}.KEY`))
    .map((row) => ({ ...row, meaning: row.meaning || (meanings.get(row.member) ?? '') }))
}

function tableIn(member: string): string {
  return member.split('.')[0] ?? ''
}

/** A table alone is said by its keys. */
function keysTable(rows: readonly SchemaRow[]): string {
  return tableOf(
    ['key', 'is', 'without it', 'means'],
    rows.map(({ member, type, isRequired, unlessGiven, meaning }) => [
      code(member),
      type === 'object' ? 'table' : type,
      isRequired ? 'must be there' : unlessGiven === null ? '–' : code(JSON.stringify(unlessGiven)),
      meaning,
    ]),
  )
}
