/** Tool calls and their results as one line of text each, the same for every agent. */
import { asRecord, type JsonRecord, stringAt } from './json-record.ts'

/** UTF-16 units of a call's argument. A whole file written by a tool call is not what was said. */
const maxArgumentUnits = 2000

/** What tells most about a call, in this order. */
const tellingArguments = ['command', 'cmd', 'file_path', 'path', 'pattern', 'query', 'description']
const resultFields = [
  'text',
  'content',
  'output',
  'aggregated_output',
  'stdout',
  'stderr',
  'title',
  'url',
  'snippet',
]
const maxResultDepth = 4

/** `name: argument`: the most telling argument, else all of them as compact JSON. */
export function toolCallText(name: string, input: unknown): string {
  const argument = cutUnits(argumentText(input), maxArgumentUnits)
  return argument.trim() === '' ? name : `${name}: ${argument}`
}

/** The text of a result given as a string, as blocks, or as an object of streams. Images and the like have none. */
export function toolResultText(result: unknown, depth = 0): string {
  if (typeof result === 'string') return result
  if (depth > maxResultDepth) return ''
  if (Array.isArray(result)) return joinParts(result.map((part) => toolResultText(part, depth + 1)))
  const record = asRecord(result)
  if (record === null) return ''
  return joinParts(resultFields.map((field) => toolResultText(record[field], depth + 1)))
}

/** Arguments as some agents write them: JSON inside a string. What is no JSON stays as it is. */
export function argumentsOf(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('{')) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** The parts that are not blank, each on a line of its own. */
export function joinParts(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n')
}

function argumentText(input: unknown): string {
  if (typeof input === 'string') return input
  const record = asRecord(input)
  if (record === null) return compactJson(input)
  for (const key of tellingArguments) {
    const text = argumentAt(record, key)
    if (text !== null) return text
  }
  return Object.keys(record).length === 0 ? '' : compactJson(record)
}

function argumentAt(record: JsonRecord, key: string): string | null {
  const value = record[key]
  if (Array.isArray(value)) {
    const words = value.filter((word) => typeof word === 'string')
    return words.length === 0 ? null : words.join(' ')
  }
  const text = stringAt(record, key)
  return text === null || text.trim() === '' ? null : text
}

function compactJson(value: unknown): string {
  if (value === undefined || value === null) return ''
  try {
    return JSON.stringify(value)
  } catch {
    // Nesting deep enough to exhaust the stack: nothing a person would look for.
    return ''
  }
}

function cutUnits(text: string, units: number): string {
  if (text.length <= units) return text
  const last = text.charCodeAt(units - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units)
}
