/** Finds the files that an Include of ssh_config names: `~`, relative paths, and wildcards in any segment. */
import { readdir } from 'node:fs/promises'
import { isAbsolute, join, parse, sep } from 'node:path'
import { matchesPattern } from './name-pattern.ts'

/**
 * @param includeDir what a relative path starts from
 * @returns paths in the order they are read (sorted, as OpenSSH's). A path without wildcards is returned whether or
 *   not it exists; a directory that cannot be listed holds nothing that fits.
 */
export async function findIncludes(
  pattern: string,
  includeDir: string,
  homeDir: string,
): Promise<readonly string[]> {
  const full = pattern.startsWith('~/') ? join(homeDir, pattern.slice(2)) : pattern
  const absolute = isAbsolute(full) ? full : join(includeDir, full)
  const { root } = parse(absolute)
  let found = [root]
  for (const segment of absolute.slice(root.length).split(sep)) {
    if (segment === '') continue
    const next: string[] = []
    for (const directory of found) {
      for (const name of await namesIn(directory, segment)) next.push(join(directory, name))
    }
    found = next
  }
  return found
}

async function namesIn(directory: string, segment: string): Promise<readonly string[]> {
  if (!/[*?]/.test(segment)) return [segment]
  let names: string[]
  try {
    names = await readdir(directory)
  } catch {
    return []
  }
  // As in a shell, a wildcard at the front does not find hidden files.
  return names
    .filter((name) => (!name.startsWith('.') || segment.startsWith('.')) && matchesPattern(name, segment))
    .sort()
}
