/** Kilo Code: a database and folders as OpenCode's, which it was rebuilt from, and the VS Code tasks of its first years. */
import { opencodeDatabase } from './opencode-family.ts'
import { isStoredSession, leadsToStoredSessions, messageFolder, opencodeStorage } from './opencode-storage.ts'
import type { TranscriptReader } from './reader.ts'
import { taskCompanions, taskFormat, taskRoots } from './vscode-tasks.ts'
import { xdgDataFolder } from './xdg-places.ts'

const kin = { label: 'Kilo Code', invocation: 'kilo --session' }
const isDatabase = (name: string): boolean => /^kilo(?:-[\w.-]+)?\.db$/.test(name)
const database = opencodeDatabase(kin)
const storage = opencodeStorage({ ...kin, isDatabase })
const taskOf = taskFormat(kin.label)
/** A time in milliseconds, or a UUID. */
const taskFolder = /^[\da-f][\da-f-]{7,}$/i

export function kiloReader(): TranscriptReader {
  return {
    agent: 'kilo',
    label: kin.label,
    notes: {
      evidence: 'documentation',
      variables: ['XDG_DATA_HOME', 'VSCODE_PORTABLE'],
      resume: 'kilo --session ID',
      remark: 'As OpenCode; the VS Code tasks of older versions as Roo Code’s.',
    },
    roots: (environment) => [
      { path: xdgDataFolder(environment, 'kilo') },
      ...taskRoots(environment, 'kilocode.kilo-code'),
    ],
    // Not the data folder's logs and snapshots, which are no less deep than tasks.
    enters: (relativePath) => leadsToStoredSessions(relativePath) || taskFolder.test(relativePath),
    formatOf(relativePath) {
      if (isDatabase(relativePath)) return database
      return isStoredSession(relativePath) ? storage : taskOf(relativePath)
    },
    companions(file) {
      if (file.sessionKey !== undefined) return []
      return isStoredSession(file.relativePath) ? [messageFolder(file)] : taskCompanions(file)
    },
  }
}
