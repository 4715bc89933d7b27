/** `trawl mcp`: the gateway as MCP tools on stdio, for the coding agent that starts it, until it leaves. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { createMcpServer } from '../mcp/mcp-server.ts'
import type { AskGateway } from '../mcp/tool-answer.ts'
import { type NamedSession, namedSessionSchema } from '../mcp/tool-schemas.ts'
import { Refusal } from '../refusal.ts'
import { readArguments, usage } from './arguments.ts'
import type { Command, CommandContext } from './command-context.ts'
import { flagsOf } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import type { GatewayClient } from './gateway-client.ts'
import { mcpInstall } from './mcp-install.ts'
import { openGatewayClient } from './open-gateway-client.ts'
import { untilAborted } from './until-aborted.ts'

const command = 'trawl mcp'

export const mcp: Command = async (args, context) => {
  const given = readArguments(args, command, flagsOf('mcp'))
  const [word, ...rest] = given.words
  if (word === 'install') return mcpInstall(rest, context)
  if (word !== undefined) throw usage(`It takes no words but install, and not ${word}.`, command)
  const ownSession = readSession(given.text('session') ?? context.env.TRAWL_SESSION)
  if (process.stdin.isTTY)
    context.stderr.write(
      'Waiting for an MCP client on stdin. To set one up: trawl mcp install. Stop: Ctrl-C\n',
    )
  await using link = createGatewayLink(context)
  const { isFresh } = await link.open()
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  for (const event of ['end', 'close']) process.stdin.once(event, leave)
  context.signal.addEventListener('abort', leave, { once: true })
  const served = serveStdio(
    () =>
      createMcpServer({
        ask: link.ask,
        version: context.version,
        leaving: leaving.signal,
        ...(ownSession === undefined ? {} : { ownSession }),
        // Hosts that were started just now have not looked at their disks yet.
        ...(isFresh ? { freshness: 'wait-until-current' } : {}),
      }),
    { onerror: (error) => void context.stderr.write(`${error.message}\n`) },
  )
  await untilAborted(leaving.signal)
  await served.close()
  return exitCodes.done
}

/** @throws Refusal `usage`. */
function readSession(text: string | undefined): NamedSession | undefined {
  if (text === undefined || text === '') return undefined
  const [agent, ...rest] = text.split(':')
  const named = namedSessionSchema.safeParse({ agent, sessionId: rest.join(':') })
  if (!named.success) throw usage('A session is said as AGENT:SESSION, as in claude:4f1c2b.', command)
  return named.data
}

interface GatewayLink extends AsyncDisposable {
  open(): Promise<GatewayClient>
  readonly ask: AskGateway
}

/** The gateway may be stopped and started again while the coding agent goes on: it is looked for once more then. */
function createGatewayLink(context: CommandContext): GatewayLink {
  let opened: Promise<GatewayClient> | null = null
  const open = () => {
    opened ??= openGatewayClient(context)
    return opened
  }
  const close = async () => {
    const closing = opened
    opened = null
    await (await closing?.catch(() => null))?.[Symbol.asyncDispose]()
  }
  const isGone = (error: unknown) => error instanceof Refusal && error.kind === 'gateway-unreachable'
  return {
    open,
    async ask(method, params, signal) {
      try {
        return await (await open()).call(method, params, signal)
      } catch (error) {
        if (!isGone(error)) throw asKnown(error)
      }
      await close()
      try {
        return await (await open()).call(method, params, signal)
      } catch (error) {
        throw asKnown(error)
      }
    },
    [Symbol.asyncDispose]: close,
  }
}

/** What a person would be told on stderr is told to the model. */
function asKnown(error: unknown): unknown {
  return error instanceof Refusal ? new TrawlError('unreachable', error.message, {}, error) : error
}
