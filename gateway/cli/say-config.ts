/** Tells the person at the terminal what is wrong with the configuration, and was left out therefore. */
import type { GatewayConfig } from '../config.ts'
import type { CommandContext } from './command-context.ts'

export function sayWhatIsWrong(
  { warnings, quarantined, file }: GatewayConfig,
  stderr: CommandContext['stderr'],
): void {
  for (const warning of warnings) stderr.write(`${warning}\n`)
  for (const { id, reason, line } of quarantined)
    stderr.write(
      `${file ?? 'configuration'}${line === null ? '' : `, line ${line}`}: ${id} is left out. ${reason}\n`,
    )
}
