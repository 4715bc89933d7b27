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
    return `    ${quoted(row.path)}) _arguments ${[...allFlags(row).map(spec), ...words, quoted('*: :()')].join(' ')} ;;`
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
  # Not path, which zsh ties to PATH.
  local called="$words[2]"
  shift words
  (( CURRENT-- ))
  if (( CURRENT > 2 )); then
    case "$called $words[2]" in
    ${commandTable
      .filter(({ path }) => path.includes(' '))
      .map(({ path }) => quoted(path))
      .join('|')}) called="$called $words[2]"; shift words; (( CURRENT-- )) ;;
    esac
  fi
  case "$called" in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = _trawl ]; then _trawl "$@"; else compdef _trawl trawl; fi
`
}

function fishScript(): string {
  const fishQuoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const paths = commandTable.filter(({ path }) => path.includes(' ')).map(({ path }) => fishQuoted(path))
  const lines = [
    `# fish completion for trawl
function __trawl_path
    set -l words (commandline -opc)
    set -e words[1]
    if contains -- "$words[1..2]" ${paths.join(' ')}
        echo "$words[1..2]"
    else
        echo "$words[1]"
    end
end
function __trawl_words
    count (commandline -opc)
end
complete -c trawl -f`,
  ]
  for (const { path, summary } of topWords())
    lines.push(`complete -c trawl -n 'test (__trawl_words) -eq 1' -a ${path} -d ${fishQuoted(summary)}`)
  for (const row of commandTable) {
    const isHere = `test (__trawl_path) = "${row.path}"`
    const words = row.words ?? []
    if (words.length > 0)
      lines.push(`complete -c trawl -n '${isHere}; and test (__trawl_words) -eq 2' -a '${words.join(' ')}'`)
    for (const [name, { kind, text, values = [], offer }] of allFlags(row)) {
      const value =
        kind === 'switch'
          ? ''
          : offer === 'file'
            ? ' -r -F'
            : ` -x -a '${offer === 'directory' ? '(__fish_complete_directories)' : values.join(' ')}'`
      lines.push(`complete -c trawl -n '${isHere}' -l ${name}${value} -d ${fishQuoted(text)}`)
    }
  }
  return `${lines.join('\n')}\n`
}
