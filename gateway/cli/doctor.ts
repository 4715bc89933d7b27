/** `trawl doctor`: every check that answers "why is this not found", with what it means and the remedy. */

import { plainText } from '../words/plain-text.ts'
import { readArguments, usage } from './arguments.ts'
import type { Command, CommandContext } from './command-context.ts'
import { flagsOf } from './commands.ts'
import { doctorChecks, type Finding } from './doctor-checks.ts'
import { checkHosts } from './doctor-hosts.ts'
import {
  checkConfiguration,
  checkCoverage,
  checkDataDirectory,
  checkNode,
  checkPort,
  checkTerminal,
} from './doctor-machine.ts'
import { exitCodes } from './exit-codes.ts'
import { openGatewayClient } from './open-gateway-client.ts'
import { untilAborted } from './until-aborted.ts'

const command = 'trawl doctor'
/** As grep has it: there is something to be seen to. */
const foundProblem = exitCodes.noHits

export const doctor: Command = async (args, context) => {
  const given = readArguments(args, command, flagsOf('doctor'))
  if (given.words.length > 0) throw usage('It takes no words.', command)
  const findings = await look(context)
  if (given.isSet('json')) {
    const checks = findings.map((finding) => ({
      ...finding,
      ...(finding.state === 'ok' ? {} : remedyOf(finding)),
    }))
    context.stdout.write(`${JSON.stringify({ schemaVersion: 1, checks })}\n`)
  } else for (const finding of findings) context.stdout.write(lineOf(finding))
  return findings.some(({ state }) => state === 'problem') ? foundProblem : exitCodes.done
}

async function look(context: CommandContext): Promise<Finding[]> {
  const { finding, config } = checkConfiguration(context)
  const dataDirectory = await checkDataDirectory(context)
  const here = [checkNode(), finding, dataDirectory]
  const terminal = checkTerminal(context)
  // Without these no gateway can be asked.
  if (config === null || dataDirectory.state === 'problem') return [...here, terminal]
  await using client = await openGatewayClient(context)
  await Promise.race([client.settled(), untilAborted(context.signal)])
  const gateway: Finding = client.isFresh
    ? { id: 'gateway', state: 'warning', found: 'None runs; this command has one of its own.' }
    : { id: 'gateway', state: 'ok', found: 'It runs.' }
  const port = await checkPort(config, !client.isFresh)
  return [...here, gateway, port, ...(await checkHosts(client, context)), checkCoverage(config), terminal]
}

function remedyOf({ id }: Finding): { means: string; remedy: string } {
  const { means, remedy } = doctorChecks[id]
  return { means, remedy }
}

function lineOf(finding: Finding): string {
  const { id, state, found } = finding
  const line = `${state.padEnd(8)} ${doctorChecks[id].title}: ${plainText(found)}\n`
  if (state === 'ok') return line
  const { means, remedy } = remedyOf(finding)
  return `${line}         ${means}\n         ${remedy}\n`
}
