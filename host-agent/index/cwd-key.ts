/**
 * A folder as it is compared: two spellings of one folder have one key, two folders never do.
 * Written with the search; the indexer stores `cwdKey(cwd, platform)` in `sessions.cwd_key`, search makes the same of `scopePaths`.
 */

/** `\\wsl$\Ubuntu\home` and `\\wsl.localhost\Ubuntu\home` are one place. */
const wslShare = /^\/\/wsl(?:\$|\.localhost)?\/([^/]+)/

/**
 * @param platform of the machine the path belongs to, which is this one: never the asking machine's [request.paths-of-host].
 * @returns null for what is no absolute path there. POSIX keeps case and backslashes; Windows drive and UNC paths
 * fold separators and case. Repeated slashes are one, a trailing slash is none (the root stays `/`), text is NFC.
 */
export function cwdKey(path: string, platform: NodeJS.Platform): string | null {
  const composed = path.normalize('NFC')
  const isWindowsShape = /^[A-Za-z]:(?:[\\/]|$)/.test(composed) || composed.startsWith('\\\\')
  if (isWindowsShape || (platform === 'win32' && /^[\\/]/.test(composed))) return windowsKey(composed)
  return composed.startsWith('/') ? trimmed(composed.replace(/\/+/g, '/')) : null
}

function windowsKey(path: string): string {
  const slashed = path.replaceAll('\\', '/').toLowerCase()
  const isShare = slashed.startsWith('//')
  const collapsed = slashed.replace(/\/+/g, '/')
  // `\\?\C:\x` and `\\?\UNC\server\share` are `C:\x` and `\\server\share` written for long paths.
  if (isShare && /^\/\?\/[a-z]:/.test(collapsed)) return trimmed(collapsed.slice(3))
  const share = isShare ? `/${collapsed.replace(/^\/\?\/unc\//, '/')}` : collapsed
  const [wslRoot, distro] = wslShare.exec(share) ?? []
  return trimmed(wslRoot === undefined ? share : `//wsl/${distro}${share.slice(wslRoot.length)}`)
}

function trimmed(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}
