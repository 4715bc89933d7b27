/** A user to whom things can be forbidden: nothing is unreadable to root, which tests often are. */
import { spawnSync } from 'node:child_process'
import { chown, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { agentProgram } from './real-hosts.ts'

/** `nobody` where the test is root; undefined stands for whoever runs the test. */
export const plainUid = process.getuid?.() === 0 ? 65_534 : undefined

/** For `it.skipIf`: that user may not be able to reach this repository, or Node, at all. */
export function whyNoPlainUser(): string | null {
  if (process.platform === 'win32') return 'skipped: permissions are other things here'
  if (plainUid === undefined) return null
  const { status } = spawnSync(process.execPath, [agentProgram, '--version'], {
    uid: plainUid,
    gid: plainUid,
    cwd: '/',
  })
  if (status === 0) return null
  const reason = `skipped: nothing is unreadable to root, and user ${plainUid} cannot run ${agentProgram}`
  process.stderr.write(`${reason}\n`)
  return reason
}

/** Gives a file, or a folder with all in it, to that user. */
export async function giveToPlainUser(path: string): Promise<void> {
  if (plainUid === undefined) return
  await chown(path, plainUid, plainUid)
  if (!(await lstat(path)).isDirectory()) return
  for (const name of await readdir(path)) await giveToPlainUser(join(path, name))
}
