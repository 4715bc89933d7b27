/** `trawl mcp install`: prints what makes a coding agent start `trawl mcp`. It writes no file: those are other programs'. */
import { nearestWord } from '../nearest-word.ts'
import { plainText } from '../words/plain-text.ts'
import { usage } from './arguments.ts'
import type { CommandContext } from './command-context.ts'
import { exitCodes } from './exit-codes.ts'

const command = 'trawl mcp'
const program = 'trawl'
const programArgs = ['mcp']
const stdioEntry = { command: program, args: programArgs }

interface McpClient {
  readonly name: string
  readonly label: string
  /** Where the snippet belongs. */
  readonly file: string
  readonly snippet: string
  /** A way without an editor. */
  readonly instead?: string
}

const asJson = (value: object) => JSON.stringify(value, null, 2)

export const mcpClients: readonly McpClient[] = [
  {
    name: 'claude',
    label: 'Claude Code',
    file: '.mcp.json of a project',
    snippet: asJson({ mcpServers: { trawl: stdioEntry } }),
    instead: 'For all projects: claude mcp add --scope user trawl -- trawl mcp',
  },
  {
    name: 'codex',
    label: 'Codex',
    file: '~/.codex/config.toml',
    snippet: `[mcp_servers.trawl]\ncommand = "${program}"\nargs = ${JSON.stringify(programArgs)}`,
  },
  {
    name: 'gemini',
    label: 'Gemini CLI',
    file: '~/.gemini/settings.json',
    snippet: asJson({ mcpServers: { trawl: stdioEntry } }),
  },
  {
    name: 'cursor',
    label: 'Cursor',
    file: '~/.cursor/mcp.json',
    snippet: asJson({ mcpServers: { trawl: stdioEntry } }),
  },
  {
    name: 'vscode',
    label: 'VS Code',
    file: '.vscode/mcp.json of a workspace',
    snippet: asJson({ servers: { trawl: { type: 'stdio', ...stdioEntry } } }),
  },
  {
    name: 'opencode',
    label: 'OpenCode',
    file: '~/.config/opencode/opencode.json',
    snippet: asJson({
      $schema: 'https://opencode.ai/config.json',
      mcp: { trawl: { type: 'local', command: [program, ...programArgs], enabled: true } },
    }),
  },
]

/** The snippet alone is on stdout, so that it can be sent into a file. @throws Refusal `usage`. */
export function mcpInstall(words: readonly string[], { stdout, stderr }: CommandContext): number {
  const [name, ...more] = words
  if (more.length > 0) throw usage('It takes one client.', command)
  if (name === undefined) {
    for (const client of mcpClients)
      stdout.write(`trawl mcp install ${client.name.padEnd(10)}${client.label}, ${client.file}\n`)
    return exitCodes.done
  }
  const client = mcpClients.find((each) => each.name === name)
  if (client === undefined) {
    const names = mcpClients.map((each) => each.name)
    const nearest = nearestWord(name, names)
    const hint = nearest === null ? `Those there are: ${names.join(', ')}.` : `Did you mean ${nearest}?`
    throw usage(`No client is called ${plainText(name)}. ${hint}`, command)
  }
  stderr.write(
    `${client.label}: put this into ${client.file}, beside what is there. Where trawl is not on its PATH, write the whole path.\n`,
  )
  if (client.instead !== undefined) stderr.write(`${client.instead}\n`)
  stdout.write(`${client.snippet}\n`)
  return exitCodes.done
}
