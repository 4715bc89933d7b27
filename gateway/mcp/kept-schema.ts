/** A tool's schema whose JSON form is made once: over HTTP a server is built for every request, and making it takes longer than the rest. */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'

export function keptSchema<Input, Output>(
  schema: StandardSchemaWithJSON<Input, Output>,
): StandardSchemaWithJSON<Input, Output> {
  const standard = schema['~standard']
  const made = new Map<string, Record<string, unknown>>()
  const kept =
    (direction: 'input' | 'output'): typeof standard.jsonSchema.input =>
    (options) => {
      const key = `${direction} ${options.target}`
      const json = made.get(key) ?? standard.jsonSchema[direction](options)
      made.set(key, json)
      return structuredClone(json)
    }
  return {
    '~standard': { ...standard, jsonSchema: { input: kept('input'), output: kept('output') } },
  }
}
