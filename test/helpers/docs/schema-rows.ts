/** Walks a schema and says of every member what it is, within which limits, and what it means. */
import * as z from 'zod'
import { code, listed } from './markdown.ts'

type JsonSchema = z.core.JSONSchema.BaseSchema

export interface SchemaRow {
  /** From the top, as in `hits[].evidence.snippet`. */
  readonly member: string
  readonly type: string
  readonly isRequired: boolean
  /** What stands in where it is left out; null for nothing, or for a table of such. */
  readonly unlessGiven: unknown
  readonly meaning: string
}

/** One shape of several that a value may have: told apart by a member that is always the same text. */
export interface SchemaShape {
  /** As in `kind: "results"`; null for a value that has one shape alone. */
  readonly when: string | null
  readonly rows: readonly SchemaRow[]
}

/** @param io whether the schema says what is sent to it (`input`), or what comes out of it. */
export function shapesOf(schema: z.ZodType, io: 'input' | 'output'): SchemaShape[] {
  const json = z.toJSONSchema(schema, { io }) as JsonSchema
  const shapes = (json.oneOf ?? json.anyOf) as JsonSchema[] | undefined
  if (shapes === undefined) return [{ when: null, rows: membersOf(json, '') }]
  return shapes.map((shape) => {
    const [name, member] = Object.entries(shape.properties ?? {})[0] ?? []
    const value = typeof member === 'object' ? member.const : undefined
    if (value === undefined) throw new Error('a shape that nothing tells apart')
    return { when: `${name}: ${JSON.stringify(value)}`, rows: membersOf(shape, '') }
  })
}

function membersOf(schema: JsonSchema, prefix: string): SchemaRow[] {
  const required = new Set(schema.required ?? [])
  const rows = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    rowsOf(member as JsonSchema, `${prefix}${name}`, required.has(name)),
  )
  const { additionalProperties: others } = schema
  if (typeof others !== 'object' || Object.keys(others).length === 0) return rows
  return [...rows, ...rowsOf(others as JsonSchema, `${prefix}KEY`, false)]
}

function rowsOf(schema: JsonSchema, path: string, isRequired: boolean): SchemaRow[] {
  const row: SchemaRow = {
    member: path,
    type: typeOf(schema),
    isRequired,
    unlessGiven: isTable(schema.default) ? null : (schema.default ?? null),
    meaning: schema.description ?? '',
  }
  const { item, suffix } = innermost(schema)
  return [row, ...membersOf(item, `${path}${suffix}.`)]
}

/** What the members of a list are, or of whatever else than null it may be. */
function innermost(schema: JsonSchema): { readonly item: JsonSchema; readonly suffix: string } {
  const some = alternatives(schema).find(({ type }) => type === 'object' || type === 'array')
  if (some?.type !== 'array') return { item: some ?? {}, suffix: '' }
  const { item, suffix } = innermost(some.items as JsonSchema)
  return { item, suffix: `[]${suffix}` }
}

function alternatives(schema: JsonSchema): readonly JsonSchema[] {
  const parts = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  return parts === undefined ? [schema] : parts.flatMap(alternatives)
}

function typeOf(schema: JsonSchema): string {
  return listed([...new Set(alternatives(schema).flatMap(wordsOf))], 'or')
}

function isTable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function wordsOf(schema: JsonSchema): string[] {
  if (schema.const !== undefined) return [code(JSON.stringify(schema.const))]
  if (schema.enum !== undefined) return schema.enum.map((value) => code(JSON.stringify(value)))
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? 'anything']
  return types.map((type) => wordOf(String(type), schema))
}

function wordOf(type: string, schema: JsonSchema): string {
  switch (type) {
    case 'string':
      return textWords(schema)
    case 'integer':
    case 'number':
      return numberWords(type === 'integer' ? 'whole number' : 'number', schema)
    case 'array': {
      const many = boundWords(schema.minItems, schema.maxItems)
      return `list of ${many}${plural(typeOf(schema.items as JsonSchema))}`
    }
    default:
      return type
  }
}

function textWords({ minLength, maxLength, format, pattern }: JsonSchema): string {
  if (format === 'date-time') return 'ISO time with its offset'
  if (format === 'uri') return 'address'
  if (maxLength !== undefined) return `text of ${boundWords(minLength ?? 0, maxLength)}characters`
  if (pattern !== undefined && pattern.length < 40) return `text as ${code(pattern)}`
  return minLength === undefined || minLength === 0 ? 'text' : 'text, not empty'
}

function numberWords(word: string, { minimum, maximum }: JsonSchema): string {
  const isOpen = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
  if (minimum === undefined || minimum === Number.MIN_SAFE_INTEGER) return word
  return isOpen ? `${word} from ${minimum}` : `${word} from ${minimum} to ${count(maximum)}`
}

function boundWords(least: number | undefined, most: number | undefined): string {
  if (most === undefined) return least === undefined || least === 0 ? '' : `at least ${count(least)} `
  return least === undefined || least === 0 ? `at most ${count(most)} ` : `${count(least)} to ${count(most)} `
}

function plural(type: string): string {
  if (/^text\b/.test(type)) return `texts${type.slice('text'.length)}`
  return type === 'object' ? 'objects' : type
}

const count = (value: number) => value.toLocaleString('en-US')
