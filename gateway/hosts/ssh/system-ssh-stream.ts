/**
 * The channel of an SSH host through the system's own `ssh` (`ssh.client = "openssh"`): a child process whose stdin and
 * stdout are the agent's. It knows what ssh2 does not – FIDO keys, certificates, GSSAPI, ControlMaster – and asks nobody
 * anything. A process group of its own, so that a ProxyCommand goes when it does.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { Clock } from '../../../protocol/clock.ts'
import { TrawlError } from '../../../protocol/rpc/errors.ts'
import { endOfCommand } from './command-end.ts'
import { wrapForLoginShell } from './remote-command.ts'
import { unreachable } from './ssh-errors.ts'
import type { SshStream } from './ssh-stream.ts'
import { systemSshFailure } from './system-ssh-failure.ts'
import { parseSshTarget, type SshTarget } from './target.ts'

const closeGraceMs = 2_000
const keptStderrUnits = 8 * 1024
/** As the links of ssh2 have it: a peer that is switched off sends nothing that could be noticed. */
const usualAliveSec = 15
const aliveCountMax = 3

export interface SystemSshOptions {
  readonly target: string
  readonly agentCommand: string
  /** Used instead of the user's own and the system's (`ssh -F`). */
  readonly configFile?: string
  /** Null is 15 s: what ssh_config says cannot be told from its silence. 0 is off. */
  readonly keepAliveSec: number | null
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** For connecting: ssh is given it as its ConnectTimeout. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** The program, `ssh` unless a test has another. */
  readonly program?: string
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/**
 * Resolves when ssh runs; that it got through is known when the agent answers. The channel's end tells why it did not.
 * @throws TrawlError `unreachable` / `not-configured` where there is no `ssh` or the target is none, or `cancelled`.
 */
export async function openSystemSshStream(options: SystemSshOptions): Promise<SshStream> {
  const { agentCommand, clock, env, program = 'ssh', signal } = options
  const target = parseSshTarget(options.target)
  signal.throwIfAborted()
  const args = [...sshArguments(options, target), wrapForLoginShell(agentCommand)]
  const child: Child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  const stderrTail = keepTail(child.stderr)
  // A pipe's error that nobody listens to would end the process; `closed` tells it in any case.
  child.stdin.on('error', () => {})
  child.on('error', () => {})
  const exited = new Promise<{ exitCode: number | null; exitSignal: string | null }>((resolve) => {
    child.once('exit', (exitCode, exitSignal) => resolve({ exitCode, exitSignal }))
  })
  try {
    await once(child, 'spawn', { signal })
  } catch (thrown) {
    endGroup(child, 'SIGKILL')
    if (signal.aborted) throw new TrawlError('cancelled')
    const sentence = `The program ${program} could not be started. Without ssh.client = "openssh" none is needed.`
    throw unreachable('not-configured', sentence, thrown)
  }
  let isClosing = false
  // Not `close`: a ControlMaster that ssh leaves behind keeps stderr open.
  const closed = exited.then(({ exitCode, exitSignal }): TrawlError | null => {
    child.stderr.destroy()
    if (isClosing) return null
    if (exitCode === 255) return systemSshFailure(stderrTail(), target.text)
    return endOfCommand({ exitCode, exitSignal, isReported: true }, target.text, stderrTail())
  })
  const close = async (graceMs = closeGraceMs) => {
    isClosing = true
    child.stdin.end()
    // What is still unread has no reader any more, and would hold up the agent's end.
    child.stdout.resume()
    const stopTimers = [
      clock.after(graceMs, () => endGroup(child, 'SIGTERM')),
      clock.after(graceMs + closeGraceMs, () => endGroup(child, 'SIGKILL')),
    ]
    await closed
    for (const stop of stopTimers) stop()
    await Promise.all([child.stdin, child.stdout, child.stderr].map(letGo))
  }
  const { stdin, stdout } = child
  return { stdin, stdout, stderrTail, closed, close, [Symbol.asyncDispose]: () => close() }
}

/** What ssh is to do beside what its configuration says; options given here go first. */
function sshArguments(options: SystemSshOptions, { host, user, port }: SshTarget): string[] {
  const { configFile, keepAliveSec, timeoutMs } = options
  return [
    '-T',
    ...['-o', 'BatchMode=yes'],
    ...['-o', `ConnectTimeout=${Math.max(Math.ceil(timeoutMs / 1000), 1)}`],
    ...['-o', 'ClearAllForwardings=yes'],
    ...['-o', 'ForwardAgent=no'],
    ...['-o', `ServerAliveInterval=${keepAliveSec ?? usualAliveSec}`],
    ...['-o', `ServerAliveCountMax=${aliveCountMax}`],
    ...(configFile === undefined ? [] : ['-F', configFile]),
    ...(user === null ? [] : ['-l', user]),
    ...(port === null ? [] : ['-p', String(port)]),
    '--',
    host,
  ]
}

/** Resolves when the pipe is gone. */
async function letGo(pipe: Readable | Writable): Promise<void> {
  if (pipe.closed) return
  const gone = new Promise<void>((resolve) => pipe.once('close', () => resolve()))
  pipe.destroy()
  await gone
}

function keepTail(stderr: Readable): () => string {
  let tail = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-keptStderrUnits)
  })
  stderr.on('error', () => {})
  return () => tail
}

/** ssh and what it has started for itself. A master it has detached has a group of its own and stays. */
function endGroup(child: Child, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal)
  } catch {
    // Gone already, or a system without process groups.
    child.kill(signal)
  }
}
