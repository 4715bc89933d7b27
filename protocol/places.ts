/** Where a user's files lie (wire.md §7): worked out from the environment, never looked at. */
import { isAbsolute, join, resolve } from 'node:path'

export interface Place {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homeDir: string
}

/** `$TRAWL_DATA_DIR`, else `$XDG_DATA_HOME/trawl` (absolute only), else `~/.local/share/trawl`. */
export function dataDirPath({ env, homeDir }: Place): string {
  if (env.TRAWL_DATA_DIR) return resolve(env.TRAWL_DATA_DIR)
  return join(xdgDir(env.XDG_DATA_HOME) ?? join(homeDir, '.local', 'share'), 'trawl')
}

/** `$TRAWL_CONFIG`, else `$XDG_CONFIG_HOME/trawl/config.toml` (absolute only), else `~/.config/trawl/config.toml`. */
export function configFilePath({ env, homeDir }: Place): string {
  if (env.TRAWL_CONFIG) return resolve(expandHome(env.TRAWL_CONFIG, homeDir))
  return join(xdgDir(env.XDG_CONFIG_HOME) ?? join(homeDir, '.config'), 'trawl', 'config.toml')
}

export function expandHome(path: string, homeDir: string): string {
  return path === '~' || path.startsWith('~/') ? join(homeDir, path.slice(1)) : path
}

/** The XDG specification has a relative directory ignored. */
function xdgDir(path: string | undefined): string | null {
  return path && isAbsolute(path) ? path : null
}
