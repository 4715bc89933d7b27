/**
 * What `trawl serve` does when it is told to read its configuration again: hosts and the certificate are taken up, and the
 * person at the terminal, and the log, are told what is not.
 */
import { basename } from 'node:path'
import type { Logger } from 'pino'
import type { GatewayConfig } from '../config.ts'
import { settingsThatNeedRestart } from '../config-changes.ts'
import type { Gateway } from '../gateway.ts'
import { Refusal } from '../refusal.ts'
import type { ClientAccess } from '../serve/client-access.ts'
import type { Doors } from '../serve/open-doors.ts'
import type { CommandContext } from './command-context.ts'
import { sayWhatIsWrong } from './say-config.ts'

export interface Reloading {
  readonly gateway: Pick<Gateway, 'reloadHosts'>
  readonly clients: Pick<ClientAccess, 'renewCertificate'>
  readonly doors: Pick<Doors, 'renewTls'>
  /** As the gateway was started with it. */
  readonly config: GatewayConfig
  /** `--listen` was given, and the file does not decide where the gateway listens. */
  readonly isListenGiven: boolean
  readonly log: Logger
  readonly stderr: CommandContext['stderr']
}

export async function reload(reloading: Reloading): Promise<void> {
  const { gateway, log } = reloading
  await orTell(reloading, 'The hosts stay as they were.', async () => {
    const { added, removed, config } = await gateway.reloadHosts()
    log.info({ added, removed }, 'hosts read again')
    sayWhatIsWrong(config, reloading.stderr)
    sayWhatIsLeft(config, reloading)
  })
  await orTell(reloading, 'The certificate stays as it was.', async () => {
    const renewed = await reloading.clients.renewCertificate()
    if (renewed === null) return
    reloading.doors.renewTls(renewed)
    log.info('certificate read again')
  })
}

function sayWhatIsLeft(edited: GatewayConfig, { config, isListenGiven, log, stderr }: Reloading): void {
  const settings = settingsThatNeedRestart(config, edited).filter(
    (setting) => setting !== 'listen' || !isListenGiven,
  )
  if (settings.length === 0) return
  stderr.write(`Changed, and taken up when trawl serve is started again: ${settings.join(', ')}.\n`)
  log.warn({ settings }, 'changed settings need a restart')
}

/** A file that cannot be used changes nothing. */
async function orTell(
  { config: { file }, log, stderr }: Reloading,
  remains: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    stderr.write(`${thrown.message}\n${remains}\n`)
    // Further lines quote the file, which may hold a token.
    const [sentence = ''] = thrown.message.split('\n')
    const why = file === null ? 'configuration' : sentence.replaceAll(file, basename(file))
    log.warn({ why, remains }, 'the configuration cannot be used')
  }
}
