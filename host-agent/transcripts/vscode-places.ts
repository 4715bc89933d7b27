/** Where VS Code, its kin and its servers keep their users' data, and which folder a window had open. */
import { posix, win32 } from 'node:path'
import { jsonManifest } from './json-document.ts'
import { stringAt } from './json-record.ts'
import type { AgentEnvironment, Beside } from './reader.ts'

/** Names of the data folder of each editor that runs VS Code's extensions. */
const editors = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf', 'Trae', 'Kiro', 'Antigravity']
/** Editors whose server half runs on the machine that is worked on. */
const serverFolders = [
  '.vscode-server',
  '.vscode-server-insiders',
  '.vscodium-server',
  '.cursor-server',
  '.windsurf-server',
]

/** The `User` folders that may exist on this machine. `VSCODE_PORTABLE` adds the one of a portable editor. */
export function vscodeUserFolders({ homeDir, platform, env }: AgentEnvironment): string[] {
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix
  const folders = editors.map((editor) => join(dataFolder({ homeDir, platform, env }), editor, 'User'))
  if (platform !== 'win32')
    folders.push(
      ...serverFolders.map((folder) => join(homeDir, folder, 'data', 'User')),
      join(homeDir, '.local', 'share', 'code-server', 'User'),
    )
  const portable = env.VSCODE_PORTABLE
  if (portable !== undefined && isAbsolute(portable)) folders.unshift(join(portable, 'user-data', 'User'))
  return folders
}

/** Where this platform's programs keep a user's data. */
export function dataFolder({ homeDir, platform, env }: AgentEnvironment): string {
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix
  if (platform === 'darwin') return join(homeDir, 'Library', 'Application Support')
  const configured = platform === 'win32' ? env.APPDATA : env.XDG_CONFIG_HOME
  if (configured !== undefined && isAbsolute(configured)) return configured
  return platform === 'win32' ? join(homeDir, 'AppData', 'Roaming') : join(homeDir, '.config')
}

/**
 * The folder a window had open, as `workspace.json` in its storage folder records it; null where it had none, several,
 * or one on another machine.
 */
export function vscodeWorkspaceFolder(beside: Beside, manifestPath: string): string | null {
  const manifest = beside.parsed(manifestPath, jsonManifest)
  return manifest === null ? null : pathOfFileUri(stringAt(manifest, 'folder') ?? '')
}

/** `file:///c%3A/My%20Work` → `c:\My Work`; null for what is no file of this machine. */
export function pathOfFileUri(uri: string): string | null {
  const path = /^file:\/\/(?:localhost)?(\/[^?#]*)/.exec(uri)?.[1]
  if (path === undefined) return null
  try {
    const decoded = decodeURIComponent(path)
    return /^\/[a-z]:(?:\/|$)/i.test(decoded) ? decoded.slice(1).replaceAll('/', '\\') : decoded
  } catch {
    return null
  }
}
