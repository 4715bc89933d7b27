/** Cline: sessions of its command line, and its tasks within VS Code. */
import { posix, win32 } from 'node:path'
import { clineManifestPath, clineSessionFormat } from './cline-sessions.ts'
import type { TranscriptReader } from './reader.ts'
import { entersTask, taskCompanions, taskFormat, taskRoots } from './vscode-tasks.ts'

const label = 'Cline'
const sessionFormat = clineSessionFormat(label)
const formatOfTask = taskFormat(label)

export function clineReader(): TranscriptReader {
  return {
    agent: 'cline',
    label,
    notes: {
      evidence: 'sample',
      variables: ['CLINE_SESSION_DATA_DIR', 'CLINE_DATA_DIR', 'CLINE_DIR', 'VSCODE_PORTABLE'],
      resume: 'cline --id ID',
      remark: 'Tasks within VS Code are read as well; they have no command to go on with them.',
    },
    roots(environment) {
      const { homeDir, platform, env } = environment
      const { isAbsolute, join } = platform === 'win32' ? win32 : posix
      const configured = (name: string, otherwise: string): string => {
        const path = env[name]?.trim()
        return path !== undefined && isAbsolute(path) ? path : otherwise
      }
      const home = configured('CLINE_DIR', join(homeDir, '.cline'))
      const data = configured('CLINE_DATA_DIR', join(home, 'data'))
      return [
        { path: configured('CLINE_SESSION_DATA_DIR', join(data, 'sessions')) },
        { path: join(data, 'tasks') },
        ...taskRoots(environment, 'saoudrizwan.claude-dev'),
      ]
    },
    enters: entersTask,
    formatOf: (relativePath) => sessionFormat(relativePath) ?? formatOfTask(relativePath),
    companions: (file) =>
      sessionFormat(file.relativePath) === null ? taskCompanions(file) : [clineManifestPath(file)],
  }
}
