/** Finds the subcommand and runs it; whatever it throws becomes a sentence on stderr and an exit code. */
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { nearestWord } from '../nearest-word.ts'
import { Refusal } from '../refusal.ts'
import { plainText } from '../words/plain-text.ts'
import type { Command, CommandContext } from './command-context.ts'
import { exitCodeOf, exitCodes } from './exit-codes.ts'
import { mainHelp, textAskedFor } from './help.ts'

/** Loaded on demand, so that `trawl --help` starts as fast as Node does. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  search: async () => (await import('./search.ts')).search,
  show: async () => (await import('./show.ts')).show,
  resume: async () => (await import('./resume.ts')).resume,
  status: async () => (await import('./status.ts')).status,
  hosts: async () => (await import('./hosts.ts')).hosts,
  doctor: async () => (await import('./doctor.ts')).doctor,
  serve: async () => (await import('./serve.ts')).serve,
  pair: async () => (await import('./pair.ts')).pair,
  devices: async () => (await import('./devices.ts')).devices,
  service: async () => (await import('./service.ts')).service,
  mcp: async () => (await import('./mcp.ts')).mcp,
  completions: async () => (await import('./completions.ts')).completions,
  man: async () => (await import('./man-page.ts')).man,
}

/** @param args what follows the program's name. @returns the exit code; never throws. */
export async function runTrawl(args: readonly string[], context: CommandContext): Promise<number> {
  const [word = '', ...rest] = args
  try {
    const text = textAskedFor(args, context.version)
    if (text !== null) context.stdout.write(text)
    else if (args.length === 0) throw new Refusal('usage', mainHelp().trimEnd())
    else {
      const load = Object.hasOwn(commands, word) ? commands[word] : undefined
      if (load !== undefined) return await (await load())(rest, context)
      if (isMisspelt(args)) throw unknownCommand(word)
      const { search } = await import('./search.ts')
      return await search(args, context)
    }
    return exitCodes.done
  } catch (error) {
    if (context.signal.aborted) return exitCodes.interrupted
    context.stderr.write(`${saySorry(error)}\n`)
    return exitCodeOf(error)
  }
}

/** A single word that is nearly a command is taken for one; anything else without a command is a query. */
function isMisspelt([word = '', ...more]: readonly string[]): boolean {
  const isBare = /^[a-z]+$/.test(word)
  return isBare && nearestWord(word, Object.keys(commands)) !== null && more.every((arg) => !/\s/.test(arg))
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
