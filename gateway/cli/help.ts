/** The help texts, made from the command table: examples first. */
import {
  type CommandRow,
  commandTable,
  commonExits,
  commonFlagRows,
  type Example,
  type FlagRow,
  findCommand,
} from './commands.ts'

const shortestColumn = 18

/** @returns the text of `--help`, `help` and `--version`; null where a command is to be run. */
export function textAskedFor(args: readonly string[], version: string): string | null {
  const [word, ...rest] = args
  if (word === '--version') return `trawl ${version}\n`
  const row = findCommand(word === 'help' ? rest : args)
  if (word === 'help' && (rest.length === 0 || row !== undefined))
    return row === undefined ? mainHelp() : commandHelp(row)
  const end = args.indexOf('--')
  const flags = end < 0 ? args : args.slice(0, end)
  if (!flags.some((arg) => arg === '--help' || arg === '-h')) return null
  return row === undefined ? mainHelp() : commandHelp(row)
}

export function mainHelp(): string {
  const rows = commandTable
    .filter(({ path }) => !path.includes(' '))
    .map(({ path, summary }) => `  ${path.padEnd(13)}${summary}`)
  return `Search what you and your coding agents said and did, on every machine you work on.

  trawl 'reconnect loop'                     every machine, newest first
  trawl search retry --host ssh:devbox       one machine, best match first
  trawl doctor                               why something is not found
  trawl serve                                keep a gateway running

Commands
${rows.join('\n')}

trawl QUERY is trawl search QUERY. trawl COMMAND --help says more; trawl --version says which one
this is.
`
}

function commandHelp(row: CommandRow): string {
  const { path, forms, flags, notes = [] } = row
  const usage = forms.map((form, at) => `${at === 0 ? 'Usage:' : '      '} trawl ${path} ${form}`.trimEnd())
  const below = commandTable.filter((each) => each.path.startsWith(`${path} `))
  return `${[
    usage.join('\n'),
    row.examples.map(exampleLine(row.examples)).join('\n'),
    ...(below.length === 0
      ? []
      : [`Commands\n${below.map((each) => `  ${each.path.padEnd(16)}${each.summary}`).join('\n')}`]),
    ...notes,
    `Flags\n${flagLines({ ...flags, ...commonFlagRows }).join('\n')}`,
    `Exit: ${sayExits(row)}.`,
  ].join('\n\n')}\n`
}

function exampleLine(all: readonly Example[]): (example: Example) => string {
  const width = Math.max(...all.filter(({ text }) => text !== undefined).map(({ line }) => line.length), 0)
  return ({ line, text }) => (text === undefined ? `  ${line}` : `  ${line.padEnd(width)}   ${text}`)
}

function flagLines(flags: Readonly<Record<string, FlagRow>>): string[] {
  const names = Object.entries(flags).map(([name, flag]) => sayFlag(name, flag))
  const width = Math.max(shortestColumn, ...names.map((name) => name.length))
  return Object.values(flags).map(({ text }, at) => `  ${names[at]?.padEnd(width)}  ${text}`)
}

/** `--host ID|all` */
export function sayFlag(name: string, { value }: FlagRow): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`
}

/** A command's own codes, and the two that all have. */
function sayExits({ exits = {} }: CommandRow): string {
  const shown: Record<number, string | undefined> = {
    0: commonExits[0],
    2: commonExits[2],
    64: commonExits[64],
    ...exits,
  }
  return Object.entries(shown)
    .map(([code, meaning]) => `${code} ${meaning}`)
    .join(', ')
}
