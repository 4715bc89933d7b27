/** OpenCode: a database, and the folders of JSON that it took the place of. */
import { opencodeDatabase } from './opencode-family.ts'
import { isStoredSession, leadsToStoredSessions, messageFolder, opencodeStorage } from './opencode-storage.ts'
import type { TranscriptReader } from './reader.ts'
import { xdgDataFolder } from './xdg-places.ts'

const kin = { label: 'OpenCode', invocation: 'opencode --session' }
/** `opencode.db`, and one for each channel of releases: `opencode-dev.db`. */
const isDatabase = (name: string): boolean => /^opencode(?:-[\w.-]+)?\.db$/.test(name)
const database = opencodeDatabase(kin)
const storage = opencodeStorage({ ...kin, isDatabase })

export function opencodeReader(): TranscriptReader {
  return {
    agent: 'opencode',
    label: kin.label,
    notes: {
      evidence: 'sample',
      variables: ['XDG_DATA_HOME'],
      resume: 'opencode --session ID',
      remark: 'The database first, older JSON folders second; subagents belong to their session.',
    },
    roots: (environment) => [{ path: xdgDataFolder(environment, 'opencode') }],
    enters: leadsToStoredSessions,
    formatOf(relativePath) {
      if (isDatabase(relativePath)) return database
      return isStoredSession(relativePath) ? storage : null
    },
    companions: (file) => (file.sessionKey === undefined ? [messageFolder(file)] : []),
  }
}
