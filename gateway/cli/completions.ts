/** `trawl completions bash|zsh|fish`: what a shell offers after `trawl`, made from the command table. */
import { readArguments, usage } from './arguments.ts'
import type { Command } from './command-context.ts'
import { type CommandRow, commandTable, commonFlagRows, type FlagRow, flagsOf } from './commands.ts'
import { exitCodes } from './exit-codes.ts'

const command = 'trawl completions'

export const completions: Command = async (args, context) => {
  const { words } = readArguments(args, command, flagsOf('completions'))
  const [shell = '', ...more] = words
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (script === undefined || more.length > 0) throw usage('It takes bash, zsh or fish.', command)
  context.stdout.write(script())
  return exitCodes.done
}

const scripts: Readonly<Record<string, () => string>> = { bash: bashScript, zsh: zshScript, fish: fishScript }

function allFlags({ flags }: CommandRow): [string, FlagRow][] {
  return Object.entries({ ...flags, ...commonFlagRows })
}

const topWords = () => commandTable.filter(({ path }) => !path.includes(' '))
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function bashScript(): string {
  const cases = commandTable.map((row) => {
    const flags = allFlags(row).map(([name]) => `--${name}`)
    return `    ${quoted(row.path)}) words=${quoted([...(row.words ?? []), ...flags].join(' '))} ;;`
  })
  const values = commandTable.flatMap((row) =>
    allFlags(row).flatMap(([name, { kind, values: few, offer }]) => {
      if (kind === 'switch') return []
      const act =
        offer !== undefined
          ? `compgen -${offer === 'file' ? 'f' : 'd'} -- "$word"`
          : `compgen -W ${quoted((few ?? []).join(' '))} -- "$word"`
      return [`    ${quoted(`${row.path} --${name}`)}) mapfile -t COMPREPLY < <(${act}); return ;;`]
    }),
  )
  const paths = commandTable.filter(({ path }) => path.includes(' ')).map(({ path }) => quoted(path))
  return `# bash completion for trawl
_trawl() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words
  local path="\${COMP_WORDS[1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W ${quoted([...topWords().map(({ path }) => path), '--help', '--version'].join(' '))} -- "$word")
    return
  fi
  if [ "$COMP_CWORD" -gt 2 ]; then
    case "$path \${COMP_WORDS[2]}" in
    ${paths.join('|')}) path="$path \${COMP_WORDS[2]}" ;;
    esac
  fi
  case "$path $before" in
${values.join('\n')}
  esac
  case "$path" in
${cases.join('\n')}
    *) return ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _trawl trawl
`
}

function zshScript(): string {
  const spec = ([name, { kind, text, values, offer, value }]: [string, FlagRow]) => {
    const plain = text.replaceAll(/[[\]:\\]/g, '\\$&')
    const act =
      offer === 'directory'
        ? '_files -/'
        : offer === 'file'
          ? '_files'
          : values === undefined
            ? ''
            : `(${values.join(' ')})`
    return quoted(
      `${kind === 'list' ? '*' : ''}--${name}[${plain}]${kind === 'switch' ? '' : `:${(value ?? 'value').replaceAll(':', '\\:')}:${act}`}`,
    )
  }
  const cases = commandTable.map((row) => {
    const words = row.words === undefined ? [] : [quoted(`1:word:(${row.words.join(' ')})`)]
    return `    ${quoted(row.path)}) _arguments ${[...allFlags(row).map(spec), ...words].join(' ')} ;;`
  })
  return `#compdef trawl
_trawl() {
  local -a commands
  commands=(${topWords()
    .map(({ path, summary }) => quoted(`${path}:${summary}`))
    .join(' ')})
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local path="$words[2]"
  shift words
  (( CURRENT-- ))
  if (( CURRENT > 2 )); then
    case "$path $words[2]" in
    ${commandTable
      .filter(({ path }) => path.includes(' '))
      .map(({ path }) => quoted(path))
      .join('|')}) path="$path $words[2]"; shift words; (( CURRENT-- )) ;;
    esac
  fi
  case "$path" in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = _trawl ]; then _trawl "$@"; else compdef _trawl trawl; fi
`
}

function fishScript(): string {
  const fishQuoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const lines = ['# fish completion for trawl', 'complete -c trawl -f']
  for (const { path, summary } of topWords())
    lines.push(`complete -c trawl -n __fish_use_subcommand -a ${path} -d ${fishQuoted(summary)}`)
  for (const row of commandTable) {
    const seen = row.path
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ')
    const words = row.words ?? []
    if (words.length > 0)
      lines.push(
        `complete -c trawl -n '${seen}; and not __fish_seen_subcommand_from ${words.join(' ')}' -a '${words.join(' ')}'`,
      )
    for (const [name, { kind, text, values, offer }] of allFlags(row)) {
      const value =
        kind === 'switch'
          ? ''
          : offer !== undefined
            ? ' -r -F'
            : values === undefined
              ? ' -x'
              : ` -x -a '${values.join(' ')}'`
      lines.push(`complete -c trawl -n '${seen}' -l ${name}${value} -d ${fishQuoted(text)}`)
    }
  }
  return `${lines.join('\n')}\n`
}
