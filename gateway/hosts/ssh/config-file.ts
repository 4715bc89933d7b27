/**
 * Evaluates ssh_config for one host: which directives hold, in the order OpenSSH gives them. `ssh-config` splits the
 * text; sections, Include and Match are evaluated here, because that package runs the commands of `Match exec` and of
 * host name canonicalisation and does not follow Include. Nothing here ever runs a command.
 */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Line, LineType, type Match, parse, type Section } from 'ssh-config'
import { findIncludes } from './config-include.ts'
import { matchesPatternList } from './name-pattern.ts'
import { unreachable } from './ssh-errors.ts'

/** As OpenSSH's own bound. */
const maxIncludeDepth = 16
/** Directives that add up; of all others the first value counts. */
const repeatable = new Set(['identityfile', 'certificatefile'])

export interface ConfigFile {
  readonly path: string
  /** What relative Include paths start from. */
  readonly includeDir: string
  /** A file the user named must be there; a default one may be missing. */
  readonly isRequired: boolean
}

export interface ConfigQuery {
  /** The name as the user gave it. */
  readonly alias: string
  /** The user the target names, or null. */
  readonly user: string | null
  readonly localUser: string
  readonly homeDir: string
}

export interface SshDirectives {
  /** The arguments of a directive (lower-case name), or null where it is not set. */
  get(name: string): readonly string[] | null
  /** Every value of a directive that adds up. */
  all(name: string): readonly string[]
  /** What stood in the files and was not followed, for the log. */
  readonly notes: readonly string[]
}

/**
 * @throws TrawlError `unreachable` / `not-configured`: a file that cannot be read or parsed, an Include that includes
 *   itself or nests deeper than 16.
 */
export async function evaluateSshConfig(
  files: readonly ConfigFile[],
  query: ConfigQuery,
): Promise<SshDirectives> {
  const first = new Evaluation(query, query.alias, false)
  await first.readAll(files)
  if (!first.wantsFinalPass) return first
  const final = new Evaluation(query, first.get('hostname')?.[0] ?? query.alias, true, first)
  await final.readAll(files)
  return final
}

class Evaluation implements SshDirectives {
  readonly notes: string[] = []
  wantsFinalPass = false
  readonly #query: ConfigQuery
  readonly #host: string
  readonly #isFinalPass: boolean
  readonly #values: Map<string, readonly string[]>
  readonly #lists: Map<string, string[]>

  /** The final pass, which `Match final` asks for, goes over the files again with what is known by then. */
  constructor(query: ConfigQuery, host: string, isFinalPass: boolean, earlier?: Evaluation) {
    this.#query = query
    this.#host = host
    this.#isFinalPass = isFinalPass
    this.#values = new Map(earlier === undefined ? [] : earlier.#values)
    this.#lists = new Map(earlier === undefined ? [] : earlier.#lists)
  }

  get(name: string): readonly string[] | null {
    return this.#values.get(name) ?? null
  }

  all(name: string): readonly string[] {
    return this.#lists.get(name) ?? []
  }

  async readAll(files: readonly ConfigFile[]): Promise<void> {
    for (const file of files) await this.#readFile(file, [])
  }

  async #readFile(file: ConfigFile, chain: readonly string[]): Promise<void> {
    const path = resolve(file.path)
    if (chain.includes(path)) throw unreachable('not-configured', `${path} includes itself.`)
    if (chain.length > maxIncludeDepth) {
      throw unreachable('not-configured', `${path} is included more than ${maxIncludeDepth} levels deep.`)
    }
    const text = await readConfigText(path, file.isRequired)
    if (text !== null) await this.#walk(parseConfigText(path, text), true, file, [...chain, path])
  }

  async #walk(
    lines: readonly Line[],
    isActive: boolean,
    file: ConfigFile,
    chain: readonly string[],
  ): Promise<void> {
    for (const line of lines) {
      if (line.type !== LineType.DIRECTIVE) continue
      const name = line.param.toLowerCase()
      if ('config' in line) {
        const isMatch =
          isActive && (name === 'host' ? this.#matchesHost(line) : this.#matches(line, file.path))
        await this.#walk(line.config, isMatch, file, chain)
      } else if (!isActive) continue
      else if (name === 'include') await this.#include(argumentsOf(line.value), file, chain)
      else this.#set(name, argumentsOf(line.value))
    }
  }

  async #include(patterns: readonly string[], file: ConfigFile, chain: readonly string[]): Promise<void> {
    for (const pattern of patterns) {
      for (const path of await findIncludes(pattern, file.includeDir, this.#query.homeDir)) {
        await this.#readFile({ path, includeDir: file.includeDir, isRequired: false }, chain)
      }
    }
  }

  #set(name: string, values: readonly string[]): void {
    if (values.length === 0) return
    if (repeatable.has(name)) {
      const list = this.#lists.get(name) ?? []
      this.#lists.set(name, [...list, ...values.filter((value) => !list.includes(value))])
    } else if (!this.#values.has(name)) this.#values.set(name, values)
  }

  #matchesHost(section: Section): boolean {
    return matchesPatternList(this.#host, argumentsOf(section.value))
  }

  /** A criterion that is not evaluated here makes its whole section not apply, and leaves a note. */
  #matches(section: Section | Match, path: string): boolean {
    if (!('criteria' in section)) return false
    return Object.entries(section.criteria).every(([criterion, value]) => {
      const isNegated = criterion.startsWith('!')
      const name = criterion.replace(/^!/, '').toLowerCase()
      const outcome = this.#matchesCriterion(name, argumentsOf(value).join(','))
      if (outcome === null)
        this.notes.push(`Match ${name} in ${path} is not evaluated; its section does not apply.`)
      return outcome !== null && outcome !== isNegated
    })
  }

  #matchesCriterion(name: string, value: string): boolean | null {
    const patterns = value.split(',')
    switch (name) {
      case 'all':
        return true
      case 'final':
        this.wantsFinalPass = true
        return this.#isFinalPass
      case 'canonical':
        return this.#isFinalPass
      case 'host':
        return matchesPatternList(
          this.get('hostname')?.[0]?.replaceAll('%h', this.#host) ?? this.#host,
          patterns,
        )
      case 'originalhost':
        return matchesPatternList(this.#query.alias, patterns)
      case 'user':
        return matchesPatternList(
          this.#query.user ?? this.get('user')?.[0] ?? this.#query.localUser,
          patterns,
        )
      case 'localuser':
        return matchesPatternList(this.#query.localUser, patterns)
      default:
        return null
    }
  }
}

async function readConfigText(path: string, isRequired: boolean): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : 'unknown error'
    if (!isRequired && (code === 'ENOENT' || code === 'ENOTDIR')) return null
    throw unreachable('not-configured', `The SSH configuration ${path} cannot be read (${code}).`, cause)
  }
}

function parseConfigText(path: string, text: string): readonly Line[] {
  try {
    return parse(text)
  } catch (cause) {
    throw unreachable('not-configured', `The SSH configuration ${path} cannot be understood.`, cause)
  }
}

function argumentsOf(value: string | readonly { readonly val: string }[]): readonly string[] {
  if (typeof value !== 'string') return value.map(({ val }) => val)
  return value === '' ? [] : [value]
}
