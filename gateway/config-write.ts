/**
 * Adds and removes a `[[hosts]]` entry in the text of a configuration, and nothing else: comments, order and blanks are
 * the person's. Every edit is read back, and refused when it says anything but what was meant.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'smol-toml'
import { Refusal, systemCode } from './refusal.ts'

/** Keys as they are written, dotted (`ssh.client`), with their values. */
export type HostEntry = { readonly id: string } & Readonly<Record<string, EntryValue>>
type EntryValue = string | number | boolean

/** @throws Refusal `configuration` with what to write by hand. @param file for sentences. */
export function addHostEntry(text: string, entry: HostEntry, file: string): string {
  const block = blockOf(entry)
  const gap = text === '' ? '' : text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n'
  const edited = `${text}${gap}${block}`
  const [added] = hostsOf(parseOr(block, {}))
  const before = parseOr(text, null)
  const after = parseOr(edited, null)
  if (
    before === null ||
    after === null ||
    !isDeepStrictEqual(after, withHosts(before, [...hostsOf(before), added]))
  )
    throw byHand(`${file} lists its hosts in a way that is not edited here. Add this to it`, block)
  return edited
}

/**
 * @param id as it stands in the file, blanks around it aside.
 * @returns null where no entry has that id.
 * @throws Refusal `configuration` where the entry cannot be cut out without touching anything else.
 */
export function removeHostEntry(text: string, id: string, file: string): string | null {
  const before = parseOr(text, null)
  const hosts = before === null ? [] : hostsOf(before)
  const places = hosts.flatMap((host, index) => (idOf(host) === id.trim() ? [index] : []))
  const [at] = places
  if (before === null || at === undefined) return null
  if (places.length > 1)
    throw new Refusal(
      'configuration',
      `${file} has ${places.length} entries with the id ${id}. Remove one by hand.`,
    )
  const lines = text.split('\n')
  const starts = lines.flatMap((line, index) => (/^\s*\[\[\s*hosts\s*\]\]/.test(line) ? [index] : []))
  const start = starts.length === hosts.length ? starts[at] : undefined
  const edited = start === undefined ? null : cut(lines, start)
  const after = edited === null ? null : parseOr(edited, null)
  const wanted = withHosts(
    before,
    hosts.filter((_, index) => index !== at),
  )
  if (edited === null || after === null || !isDeepStrictEqual(after, wanted))
    throw new Refusal(
      'configuration',
      `${file} lists its hosts in a way that is not edited here. Remove ${id} from it by hand.`,
    )
  return edited
}

/**
 * Puts the text in the file's place in one step; a link to it stays one, its mode stays, and a new one is closed to others.
 * @throws Refusal `permission`.
 */
export function writeConfigFile(file: string, text: string): void {
  let temp = ''
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const { path, mode } = placeOf(file)
    temp = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
    const handle = openSync(temp, 'wx', mode)
    try {
      writeFileSync(handle, text)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(temp, path)
  } catch (error) {
    if (temp !== '') rmSync(temp, { force: true })
    throw new Refusal(
      'permission',
      `${file} cannot be written (${systemCode(error) ?? 'unknown error'}).`,
      error,
    )
  }
}

function placeOf(file: string): { path: string; mode: number } {
  try {
    const path = realpathSync(file)
    return { path, mode: statSync(path).mode & 0o777 }
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    return { path: file, mode: 0o600 }
  }
}

function blockOf(entry: HostEntry): string {
  // A JSON string is a TOML basic string, but for U+007F.
  const quote = (value: EntryValue) => JSON.stringify(value).replaceAll('\u007f', '\\u007f')
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${quote(value)}\n`)
  return `[[hosts]]\n${lines.join('')}`
}

/** From the header to the entry's last line; comments before the next table are that one's, or nobody's, and stay. */
function cut(lines: readonly string[], start: number): string {
  const isOther = (line: string) => /^\s*\[/.test(line) && !/^\s*\[\[?\s*hosts\s*\./.test(line)
  const found = lines.findIndex((line, index) => index > start && isOther(line))
  let end = found < 0 ? lines.length : found
  while (end > start + 1 && /^\s*(#.*)?$/.test(lines[end - 1] ?? '')) end--
  const isBlank = (index: number) => index < 0 || (lines[index] ?? '').trim() === ''
  // One gap is left of the two around it.
  if (isBlank(start - 1) && isBlank(end) && end < lines.length) end++
  const left = [...lines.slice(0, start), ...lines.slice(end)]
  return left.join('\n')
}

type Table = Readonly<Record<string, unknown>>

function hostsOf(table: Table): readonly unknown[] {
  return Array.isArray(table.hosts) ? table.hosts : []
}

/** As the parser would give it: without a list where there is no entry. */
function withHosts(table: Table, hosts: readonly unknown[]): Table {
  const { hosts: _, ...rest } = table
  return hosts.length === 0 ? rest : { ...rest, hosts }
}

function idOf(host: unknown): string | null {
  return typeof host === 'object' && host !== null && 'id' in host && typeof host.id === 'string'
    ? host.id.trim()
    : null
}

function parseOr<Else>(text: string, otherwise: Else): Table | Else {
  try {
    return { ...parse(text) }
  } catch {
    return otherwise
  }
}

function byHand(sentence: string, block: string): Refusal {
  return new Refusal('configuration', `${sentence}:\n\n${block.trimEnd()}`)
}
