/**
 * Three machines on this one: a gateway with its local host, a dev box over real SSH, and a runtime host over
 * WebSocket, each with a home of its own. Asks one question over all of them, then stays up. `--once` ends it;
 * `--picture FILE` also draws the answer as an SVG.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { searchResponseSchema } from '../protocol/session-search/response.ts'
import { drawTerminal } from './picture.ts'
import { Processes } from './processes.ts'
import { renderAnswer } from './render-answer.ts'
import { startSshHost } from './ssh-host.ts'
import { watchIndexing } from './watch-indexing.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const trawl = join(root, 'bin/trawl.js')
const trawlAgent = join(root, 'bin/trawl-agent.js')
const question = 'reconnect loop'
const isOnce = process.argv.includes('--once')
const pictureFile = process.argv.includes('--picture')
  ? process.argv[process.argv.indexOf('--picture') + 1]
  : undefined

const leaving = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => leaving.abort())

const dir = mkdtempSync(join(tmpdir(), 'trawl-demo-'))
const processes = new Processes()
try {
  await run()
} catch (error) {
  if (!leaving.signal.aborted) {
    say(error instanceof Error ? error.message : String(error))
    process.exitCode = 2
  }
} finally {
  await processes[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true, force: true })
}

async function run(): Promise<void> {
  say('Starting three machines …')
  const devbox = await startSshHost(join(dir, 'ssh'), join(root, 'dist/demo-ssh-server.js'), processes)
  say(`  ssh:devbox   home demo/homes/devbox, over SSH (${devbox.server})`)
  const ci = await startRuntimeHost()
  say(`  runtime:ci   home demo/homes/ci, over WebSocket (${ci.url})`)
  const env = startEnvironment(devbox.configFile, ci)
  const gateway = start([trawl, 'serve', '--listen', '127.0.0.1:0'], env)
  const [, address] = await processes.line(gateway.stderr, /Listening on (\S+)/, 'The gateway')
  gateway.stderr.resume()
  say(`  local        home demo/homes/laptop, beside the gateway (${address})\n`)

  await watchIndexing(['local', 'ssh:devbox', 'runtime:ci'], {
    socketPath: join(hostDir('laptop'), 'gateway.sock'),
    signal: leaving.signal,
    output: process.stderr,
  })
  say(`\n$ trawl search '${question}' --host all --limit 8`)
  await ask(env)
  if (isOnce) return
  say(`
The three machines stay up. Ask more, from another terminal:

  export TRAWL_DATA_DIR=${hostDir('laptop')}
  node bin/trawl.js search resetBackoff
  node bin/trawl.js search 'proxy idle' --host local
  node bin/trawl.js search Funkloch --json
  node bin/trawl.js status --host ssh:devbox
  node bin/trawl.js hosts

Ctrl-C ends all of it.`)
  await Promise.race([once(leaving.signal, 'abort'), once(gateway, 'exit')])
}

/** Everything of one host but its transcripts lies in the demo's own folder. */
function hostDir(name: string): string {
  const path = join(dir, name)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  return path
}

/** The environment of a machine: its home, its data, and none of what this one has set for its own agents. */
function machine(name: string): NodeJS.ProcessEnv {
  const { PATH, LANG, TERM, NO_COLOR, FORCE_COLOR } = process.env
  return {
    PATH,
    LANG,
    TERM,
    ...(NO_COLOR === undefined ? {} : { NO_COLOR }),
    ...(FORCE_COLOR === undefined ? {} : { FORCE_COLOR }),
    HOME: join(root, 'demo/homes', name),
    TRAWL_DATA_DIR: hostDir(name),
  }
}

interface RuntimeHost {
  readonly url: string
  readonly tokenFile: string
}

async function startRuntimeHost(): Promise<RuntimeHost> {
  const agent = start([trawlAgent, 'listen', '--listen', '127.0.0.1:0', '--peer-token'], machine('ci'))
  const [, url = ''] = await processes.line(agent.stderr, /Listening on (\S+)/, 'The runtime host')
  agent.stderr.resume()
  return { url, tokenFile: join(hostDir('ci'), 'peer-token') }
}

function startEnvironment(sshConfigFile: string, ci: RuntimeHost): NodeJS.ProcessEnv {
  const { HOME, TRAWL_DATA_DIR } = machine('devbox')
  const agentCommand = [
    'env',
    `HOME=${HOME}`,
    `TRAWL_DATA_DIR=${TRAWL_DATA_DIR}`,
    process.execPath,
    trawlAgent,
    'stdio',
  ]
  const config = `[[hosts]]
id = "ssh:devbox"
ssh.configFile = ${JSON.stringify(sshConfigFile)}
ssh.agentCommand = ${JSON.stringify(agentCommand.map(quote).join(' '))}

[[hosts]]
id = "runtime:ci"
url = ${JSON.stringify(ci.url)}
tokenFile = ${JSON.stringify(ci.tokenFile)}
`
  const file = join(dir, 'config.toml')
  writeFileSync(file, config, { mode: 0o600 })
  return { ...machine('laptop'), TRAWL_CONFIG: file }
}

function start(args: readonly string[], env: NodeJS.ProcessEnv) {
  return processes.keep(
    spawn(process.execPath, args, { env, cwd: root, detached: true, stdio: ['ignore', 'ignore', 'pipe'] }),
  )
}

/** The command a person would type; what it answers is shown with a line for each host. */
async function ask(env: NodeJS.ProcessEnv): Promise<void> {
  const args = [trawl, 'search', question, '--host', 'all', '--limit', '8', '--json']
  const child = spawn(process.execPath, args, { env, cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  const [code] = await once(child, 'close', { signal: leaving.signal })
  if (code !== 0) throw new Error(`trawl search ended with exit code ${code}`)
  const answer = searchResponseSchema.parse(JSON.parse(text))
  if (answer.kind !== 'results') throw new Error(`trawl search answered ${answer.kind}`)
  process.stdout.write(renderAnswer(answer, process.stdout, process.env))
  if (pictureFile === undefined) return
  const shown = renderAnswer(answer, { write: () => {}, columns: 100 }, { FORCE_COLOR: '1' })
  writeFileSync(pictureFile, drawTerminal(`$ trawl search '${question}' --host all --limit 8\n${shown}`))
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
