/** Reads a subcommand's flags. A flag that is not one is refused, with the nearest that is. */
import { parseArgs } from 'node:util'
import { nearestWord } from '../nearest-word.ts'
import { Refusal } from '../refusal.ts'

export interface FlagSpec {
  /** `switch` stands alone; `text` takes a value; `list` takes one each time it is given. */
  readonly kind: 'switch' | 'text' | 'list'
}

/** Flags every subcommand has. */
const commonFlags: Readonly<Record<string, FlagSpec>> = {
  help: { kind: 'switch' },
  'no-color': { kind: 'switch' },
}

export interface Arguments {
  readonly words: readonly string[]
  isSet(flag: string): boolean
  text(flag: string): string | undefined
  list(flag: string): readonly string[]
}

/**
 * @param minusWords where `-draft` and `-agent:codex` are words of a query, and not flags run together.
 * @throws Refusal `usage`. Everything after `--` is a word.
 */
export function readArguments(
  args: readonly string[],
  command: string,
  flags: Readonly<Record<string, FlagSpec>>,
  minusWords: 'words' | 'flags' = 'flags',
): Arguments {
  const known: Readonly<Record<string, FlagSpec>> = { ...commonFlags, ...flags }
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(
      Object.entries(known).map(([name, { kind }]) => [
        name,
        { type: kind === 'switch' ? ('boolean' as const) : ('string' as const) },
      ]),
    ),
  })
  const words: string[] = []
  const wordsAt = new Set<number>()
  const values = new Map<string, string[]>()
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const arg = args[token.index] ?? ''
    if (minusWords === 'words' && isMinusWord(arg, known)) {
      // Each of its letters is a token.
      if (!wordsAt.has(token.index)) words.push(arg)
      wordsAt.add(token.index)
      continue
    }
    const name = token.rawName === '-h' ? 'help' : token.name
    const spec = Object.hasOwn(known, name) ? known[name] : undefined
    if (spec === undefined)
      throw unknownFlag(minusWords === 'words' ? arg : token.rawName, command, Object.keys(known))
    const given = values.get(name) ?? []
    if (spec.kind === 'switch' && token.value !== undefined) throw usage(`--${name} takes no value.`, command)
    // parseArgs takes whatever comes next for a value; a flag there means that the value was forgotten.
    if (spec.kind !== 'switch' && (token.value === undefined || (!token.inlineValue && isFlag(token.value))))
      throw usage(`--${name} needs a value.`, command)
    if (spec.kind === 'text' && given.length > 0) throw usage(`--${name} is given twice.`, command)
    values.set(name, [...given, token.value ?? ''])
  }
  return {
    words,
    isSet: (flag) => values.has(flag),
    text: (flag) => values.get(flag)?.[0],
    list: (flag) => values.get(flag) ?? [],
  }
}

/** More than a letter after one minus; `-json` is a flag with a minus too few. */
function isMinusWord(arg: string, known: Readonly<Record<string, FlagSpec>>): boolean {
  return /^-[^-]./u.test(arg) && !Object.hasOwn(known, arg.slice(1))
}

function isFlag(value: string): boolean {
  return /^--?[a-z]/i.test(value)
}

function unknownFlag(rawName: string, command: string, known: readonly string[]): Refusal {
  const nearest = nearestWord(rawName.replace(/^-+/, ''), known)
  const hint = nearest === null ? '' : ` Did you mean --${nearest}?`
  return usage(`There is no flag ${rawName}.${hint}`, command)
}

/** @param command for the pointer to its help, as in `trawl search`. */
export function usage(sentence: string, command: string): Refusal {
  return new Refusal('usage', `${sentence} See: ${command} --help`)
}
