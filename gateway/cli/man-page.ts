/** `trawl man`: the manual page as troff, made from the command table. */
import { readArguments, usage } from './arguments.ts'
import type { Command } from './command-context.ts'
import {
  type CommandRow,
  commandTable,
  commonExits,
  commonFlagRows,
  type FlagRow,
  flagsOf,
} from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { sayFlag } from './help.ts'

const command = 'trawl man'

export const man: Command = async (args, context) => {
  if (readArguments(args, command, flagsOf('man')).words.length > 0)
    throw usage('It takes no words.', command)
  context.stdout.write(manPage(context.version))
  return exitCodes.done
}

const environment: readonly [string, string][] = [
  ['TRAWL_CONFIG', 'the configuration file, in place of the one below'],
  ['TRAWL_DATA_DIR', 'the directory for index, token and socket, in place of the one below'],
  ['TRAWL_SESSION', 'for trawl mcp: the asking session, as AGENT:SESSION, which is never found'],
  ['TRAWL_LOG_FILE, TRAWL_LOG_LEVEL', 'for trawl serve: where the log goes, and error, warn, info or debug'],
  ['PAGER', 'what shows a transcript on a terminal; less without it'],
  ['BROWSER', 'what opens the page'],
  ['NO_COLOR, FORCE_COLOR', 'neither bold nor dim; both wherever output goes'],
]
const files: readonly [string, string][] = [
  ['~/.config/trawl/config.toml', 'configuration; under $XDG_CONFIG_HOME where that is set'],
  ['~/.local/share/trawl', 'index, token and socket; under $XDG_DATA_HOME where that is set'],
]

/** A backslash, a leading full stop and a leading quote are troff's own; a minus is to be one in a copied command. */
function troff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .split('\n')
    .map((line) => line.replace(/^([.'])/, '\\&$1'))
    .join('\n')
}

export function manPage(version: string): string {
  return `${[
    `.TH TRAWL 1 "" "trawl ${troff(version)}" "User Commands"`,
    '.SH NAME\ntrawl \\- search what you and your coding agents said and did, on every machine',
    `.SH SYNOPSIS\n.B trawl\n${troff('QUERY…')}\n.br\n.B trawl\n${troff('COMMAND [flags]')}`,
    `.SH COMMANDS\n${commandTable.map(commandSection).join('\n')}`,
    `.SH OPTIONS\nEvery command takes these.\n${flagList(commonFlagRows)}`,
    `.SH EXIT STATUS\n${tagged(Object.entries(commonExits))}`,
    `.SH ENVIRONMENT\n${tagged(environment)}`,
    `.SH FILES\n${tagged(files)}`,
  ].join('\n')}\n`
}

function commandSection(row: CommandRow): string {
  const { path, forms, summary, examples, flags, notes = [], exits } = row
  return [
    `.SS ${troff(`trawl ${path}`)}`,
    troff(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`),
    ...literal(forms.map((form) => `trawl ${path} ${form}`.trimEnd()).join('\n')),
    ...literal(
      examples.map(({ line, text }) => (text === undefined ? line : `${line}\n    ${text}`)).join('\n'),
    ),
    ...notes.flatMap(literal),
    ...(Object.keys(flags).length === 0 ? [] : [flagList(flags)]),
    ...(exits === undefined
      ? []
      : [
          '.PP',
          `Exit: ${troff(
            Object.entries(exits)
              .map(([code, meaning]) => `${code} ${meaning}`)
              .join(', '),
          )}.`,
        ]),
  ].join('\n')
}

function tagged(rows: readonly (readonly [string, string])[]): string {
  return rows.map(([tag, text]) => `.TP\n.B ${troff(tag)}\n${troff(text)}`).join('\n')
}

function literal(text: string): string[] {
  return ['.PP', '.nf', troff(text), '.fi']
}

function flagList(flags: Readonly<Record<string, FlagRow>>): string {
  return tagged(Object.entries(flags).map(([name, flag]) => [sayFlag(name, flag), flag.text]))
}
