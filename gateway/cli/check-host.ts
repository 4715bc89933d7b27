/**
 * The check behind `trawl hosts add` and `trawl hosts test`: each step as a line, and what to do about the one that
 * failed. A server that is met for the first time is asked about where somebody can answer, as ssh would.
 */

import type { SshHostConfig } from '../config-hosts.ts'
import { CheckFailure, type CheckStep, checkSshHost } from '../hosts/check-ssh-host.ts'
import { openAgentBundle } from '../hosts/ssh/agent-bundle.ts'
import { UnknownHostKey } from '../hosts/ssh/host-key-check.ts'
import { recordHostKey } from '../hosts/ssh/record-host-key.ts'
import type { CommandContext } from './command-context.ts'
import { plainText } from './plain-text.ts'
import { sayDuration } from './say-time.ts'

export interface HostCheck {
  readonly steps: readonly CheckStep[]
  /** Null when the whole way was gone. */
  readonly failure: CheckFailure | null
}

/** @param onLine told each step as it is done, and the failure. */
export async function checkHost(
  host: SshHostConfig,
  context: CommandContext,
  onLine: (line: string) => void,
): Promise<HostCheck> {
  const { env, homeDir, clock, signal, agentBundleFile } = context
  for (;;) {
    const steps: CheckStep[] = []
    try {
      await checkSshHost(host, {
        env,
        homeDir,
        clock,
        signal,
        createId: () => context.createId(),
        ...(agentBundleFile === undefined ? {} : { bundle: openAgentBundle(agentBundleFile) }),
        onStep: (step) => {
          steps.push(step)
          onLine(lineOf(step.name, sayDuration(step.tookMs), step.found))
        },
      })
      return { steps, failure: null }
    } catch (thrown) {
      if (!(thrown instanceof CheckFailure) || signal.aborted) throw thrown
      const { step, tookMs, error } = thrown
      if (error.cause instanceof UnknownHostKey && (await letIn(error.cause, context))) continue
      onLine(lineOf(step, 'failed', `after ${sayDuration(tookMs)}: ${error.message}`))
      return { steps, failure: thrown }
    }
  }
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

function lineOf(name: string, howLong: string, found: string): string {
  return `${name.padEnd(11)}  ${howLong.padStart(7)}  ${plainText(found)}\n`
}
