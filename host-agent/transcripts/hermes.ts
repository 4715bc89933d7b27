/** Hermes: a database for each profile, and the files of its first versions. */
import { posix, win32 } from 'node:path'
import { hermesDatabase } from './hermes-database.ts'
import { hermesDocument, hermesLines } from './hermes-files.ts'
import type { TranscriptReader } from './reader.ts'

const label = 'Hermes'
const invocation = 'hermes --resume'
const database = hermesDatabase(label, invocation)
const document = hermesDocument(label, invocation)
const lines = hermesLines(label, invocation)

export function hermesReader(): TranscriptReader {
  return {
    agent: 'hermes',
    label,
    notes: {
      evidence: 'sample',
      variables: ['HERMES_HOME'],
      resume: 'hermes --resume ID',
      remark:
        'The database first, older files second; a continuation or branch holds its own messages alone.',
    },
    roots({ homeDir, platform, env }) {
      const { isAbsolute, join } = platform === 'win32' ? win32 : posix
      const configured = env.HERMES_HOME
      if (configured !== undefined && isAbsolute(configured)) return [{ path: configured }]
      const homes = [join(homeDir, '.hermes')]
      if (platform === 'win32')
        homes.push(join(env.LOCALAPPDATA ?? join(homeDir, 'AppData', 'Local'), 'hermes'))
      return homes.map((path) => ({ path }))
    },
    enters: (relativePath) =>
      /^(?:profiles|(?:profiles\/[^/]+\/)?sessions|profiles\/[^/]+)$/.test(relativePath),
    formatOf(relativePath) {
      if (/^(?:profiles\/[^/]+\/)?state\.db$/.test(relativePath)) return database
      if (sessionFile.test(relativePath)) return relativePath.endsWith('.json') ? document : lines
      return null
    },
  }
}

/** A root may be the `sessions` folder itself. The rest of that folder – an index, dumps of requests – is no session. */
const sessionFile = /^(?:profiles\/[^/]+\/)?(?:sessions\/)?(?:session_[^/]+\.json|\d{8}_\d{6}_[^/]+\.jsonl)$/
