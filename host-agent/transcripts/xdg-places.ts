/** Where programs keep their data that go by the XDG rules. */
import { posix, win32 } from 'node:path'
import type { AgentEnvironment } from './reader.ts'

/** `$XDG_DATA_HOME/<names>`, else `~/.local/share/<names>`: on Windows and macOS too, for agents that do so. */
export function xdgDataFolder(
  { homeDir, platform, env }: AgentEnvironment,
  ...names: readonly string[]
): string {
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix
  const configured = env.XDG_DATA_HOME
  return configured !== undefined && isAbsolute(configured)
    ? join(configured, ...names)
    : join(homeDir, '.local', 'share', ...names)
}
