/** Finds the subcommand and runs it; whatever it throws becomes a sentence on stderr and an exit code. */
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { nearestWord } from '../nearest-word.ts'
import { Refusal } from '../refusal.ts'
import type { Command, CommandContext } from './command-context.ts'
import { exitCodeOf, exitCodes } from './exit-codes.ts'
import { mainHelp } from './help.ts'
import { plainText } from './plain-text.ts'

/** Loaded on demand, so that `trawl --help` starts as fast as Node does. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  search: async () => (await import('./search.ts')).search,
  status: async () => (await import('./status.ts')).status,
  hosts: async () => (await import('./hosts.ts')).hosts,
  serve: async () => (await import('./serve.ts')).serve,
}

/** @param args what follows the program's name. @returns the exit code; never throws. */
export async function runTrawl(args: readonly string[], context: CommandContext): Promise<number> {
  const [word, ...rest] = args
  if (word === '--help' || word === '-h' || word === 'help') {
    context.stdout.write(mainHelp)
    return exitCodes.done
  }
  if (word === '--version') {
    context.stdout.write(`trawl ${context.version}\n`)
    return exitCodes.done
  }
  try {
    if (word === undefined) throw new Refusal('usage', mainHelp.trimEnd())
    const load = Object.hasOwn(commands, word) ? commands[word] : undefined
    if (load === undefined) throw unknownCommand(word)
    const command = await load()
    return await command(rest, context)
  } catch (error) {
    if (context.signal.aborted) return exitCodes.interrupted
    context.stderr.write(`${saySorry(error)}\n`)
    return exitCodeOf(error)
  }
}

function unknownCommand(word: string): Refusal {
  const nearest = nearestWord(word, Object.keys(commands))
  const hint = nearest === null ? ' See: trawl --help' : ` Did you mean trawl ${nearest}?`
  return new Refusal('usage', `There is no command ${plainText(word)}.${hint}`)
}

const nextSteps: Partial<Record<TrawlError['code'], string>> = {
  unknown_host: 'Those there are: trawl hosts',
  unreachable: 'Why, and when it is tried again: trawl hosts',
  timeout: 'See whether it is reachable: trawl hosts',
}

function saySorry(error: unknown): string {
  if (error instanceof Refusal) return error.message
  const known = TrawlError.from(error)
  const sentence = plainText(known.message).replace(/[.!?]?$/, '.')
  const { reason, correlationId } = known.details
  const extras = [
    reason === undefined ? '' : `(${plainText(reason)})`,
    correlationId === undefined ? '' : `The log has it under ${plainText(correlationId)}.`,
    nextSteps[known.code] ?? '',
    known.code === 'internal' && error instanceof Error && !(error instanceof TrawlError)
      ? plainText(error.message)
      : '',
  ]
  return [sentence, ...extras].filter((part) => part !== '').join(' ')
}
