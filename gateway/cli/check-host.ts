/**
 * The check behind `trawl hosts add` and `trawl hosts test`: each step as a line, and what to do about the one that
 * failed. A server that is met for the first time is asked about where somebody can answer, as ssh would.
 */

import type { DialledRuntimeConfig, SshHostConfig } from '../config-hosts.ts'
import { CheckFailure, type CheckStep } from '../hosts/check-agent.ts'
import { checkLocalHost } from '../hosts/check-local-host.ts'
import { checkRuntimeHost } from '../hosts/check-runtime-host.ts'
import { checkSshHost } from '../hosts/check-ssh-host.ts'
import { openAgentBundle } from '../hosts/ssh/agent-bundle.ts'
import { UnknownHostKey } from '../hosts/ssh/host-key-check.ts'
import { recordHostKey } from '../hosts/ssh/record-host-key.ts'
import { plainText } from '../words/plain-text.ts'
import { sayDuration } from '../words/say-time.ts'
import type { CommandContext } from './command-context.ts'

export interface HostCheck {
  readonly steps: readonly CheckStep[]
  /** Null when the whole way was gone. */
  readonly failure: CheckFailure | null
}

/** What can be gone to from here. */
export type CheckedHost = 'local' | SshHostConfig | DialledRuntimeConfig

/** @param onLine told each step as it is done, and the failure. */
export async function checkHost(
  host: CheckedHost,
  context: CommandContext,
  onLine: (line: string) => void,
): Promise<HostCheck> {
  const { signal } = context
  for (;;) {
    const steps: CheckStep[] = []
    const onStep = (step: CheckStep) => {
      steps.push(step)
      onLine(lineOfStep(step))
    }
    try {
      await goTo(host, context, onStep)
      return { steps, failure: null }
    } catch (thrown) {
      if (!(thrown instanceof CheckFailure) || signal.aborted) throw thrown
      const { cause } = thrown.error
      if (cause instanceof UnknownHostKey && (await letIn(cause, context))) continue
      onLine(lineOfFailure(thrown))
      return { steps, failure: thrown }
    }
  }
}

async function goTo(
  host: CheckedHost,
  context: CommandContext,
  onStep: (step: CheckStep) => void,
): Promise<void> {
  const { env, homeDir, clock, signal, agentBundleFile, agentCommand } = context
  const ends = { clock, signal, createId: () => context.createId(), onStep }
  if (host === 'local') return await checkLocalHost({ ...ends, env, agentCommand })
  if (host.kind === 'runtime-dialled') return await checkRuntimeHost(host, ends)
  const bundle = agentBundleFile === undefined ? {} : { bundle: openAgentBundle(agentBundleFile) }
  await checkSshHost(host, { ...ends, ...bundle, env, homeDir })
}

/** @returns whether the key is on record now. Without a terminal nobody is asked. */
async function letIn(unknown: UnknownHostKey, { ask, signal, stderr }: CommandContext): Promise<boolean> {
  if (ask === undefined) return false
  const { target, shown, record } = unknown
  const question =
    `${plainText(target)} (${plainText(record.name)}) is not known yet. It shows the ${plainText(shown)}\n` +
    `Compare that with the server's own. Trust it, and put it into ${plainText(record.file)}? (yes/no, or the fingerprint) `
  const answer = await ask(question, signal)
  const isFingerprint = answer?.startsWith('SHA256:') === true && shown.endsWith(` ${answer}`)
  if (answer?.toLowerCase() !== 'yes' && !isFingerprint) return false
  await recordHostKey(record)
  stderr.write(`Added to ${plainText(record.file)}.\n`)
  return true
}

export function lineOfStep({ name, tookMs, found }: CheckStep): string {
  return lineOf(name, sayDuration(tookMs), found)
}

export function lineOfFailure({ step, tookMs, error }: CheckFailure): string {
  return lineOf(step, 'failed', `after ${sayDuration(tookMs)}: ${error.message}`)
}

function lineOf(name: string, howLong: string, found: string): string {
  return `${name.padEnd(11)}  ${howLong.padStart(7)}  ${plainText(found)}\n`
}
