/** `trawl service install|uninstall --user`: has the system keep `trawl serve` running for this user. */
import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Refusal, systemCode } from '../refusal.ts'
import { readArguments, usage } from './arguments.ts'
import type { Command, CommandContext } from './command-context.ts'
import { flagsOf } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { type ServicePlan, servicePlan } from './service-files.ts'
import { quoteForShell } from './shell-quote.ts'

const command = 'trawl service'

export const service: Command = async (args, context) => {
  const given = readArguments(args, command, flagsOf('service'))
  const [word, ...more] = given.words
  if ((word !== 'install' && word !== 'uninstall') || more.length > 0)
    throw usage('It takes install or uninstall.', command)
  if (!given.isSet('user')) throw usage('It is for one user only: add --user.', command)
  const plan = servicePlan(context, process.platform)
  if (given.isSet('dry-run')) {
    context.stdout.write(word === 'install' ? plan.text : '')
    const does = word === 'install' ? `writes this to ${plan.file}` : `removes ${plan.file}`
    const runs = plan[word].map((line) => line.map(quoteForShell).join(' ')).join(' && ')
    context.stderr.write(`It ${does}, and runs: ${runs}\n`)
    return exitCodes.done
  }
  return word === 'install' ? await install(plan, context) : await uninstall(plan, context)
}

async function install(plan: ServicePlan, context: CommandContext): Promise<number> {
  try {
    await mkdir(dirname(plan.file), { recursive: true })
    await writeFile(plan.file, plan.text, { mode: 0o644 })
  } catch (error) {
    throw new Refusal('permission', `${plan.file} cannot be written (${systemCode(error)}).`, error)
  }
  context.stdout.write(`${plan.file} is written.\n`)
  return await runAll(plan.install, context)
}

async function uninstall(plan: ServicePlan, context: CommandContext): Promise<number> {
  const [stop = [], ...rest] = plan.uninstall
  const code = await runAll([stop], context)
  await rm(join(plan.file), { force: true })
  context.stdout.write(`${plan.file} is removed.\n`)
  return Math.max(code, await runAll(rest, context))
}

/** Where the system's own program is missing, or refuses, the command is left to the person. */
async function runAll(lines: readonly (readonly string[])[], context: CommandContext): Promise<number> {
  for (const line of lines) {
    const shown = line.map(quoteForShell).join(' ')
    const failure = await run(line, context)
    if (failure === null) {
      context.stdout.write(`Done: ${shown}\n`)
      continue
    }
    context.stderr.write(`${failure} Still to be run: ${shown}\n`)
    return exitCodes.error
  }
  return exitCodes.done
}

function run(
  [program = '', ...args]: readonly string[],
  { env, signal }: CommandContext,
): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(program, args, { env: { ...env }, signal, timeout: 30_000 }, (error, _stdout, stderr) => {
      if (error === null) return resolve(null)
      if (systemCode(error) === 'ENOENT') return resolve(`${program} is not there.`)
      resolve(`${program} refused: ${stderr.trim() || error.message}.`)
    })
  })
}
