/** Finds the transcript files of all agents on this machine. One bad folder never hides the rest. */
import { sep } from 'node:path'
import type { Discovery, DiscoveryAccess, FoundFile, FoundRoot, NamedDiscovery, Source } from './discovery.ts'
import { RootWalk } from './root-walk.ts'

/** @param signal stops the walk; the discovery is then what `signal.reason` says. */
export async function discover(
  access: DiscoveryAccess,
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<Discovery> {
  const files: FoundFile[] = []
  const roots: FoundRoot[] = []
  // One after the other: a folder that two roots of an agent lead to belongs to the first.
  const walkedBy = new Map<string, Set<string>>()
  for (const source of sources) {
    const walked = walkedBy.get(source.reader.agent) ?? new Set()
    walkedBy.set(source.reader.agent, walked)
    const walk = new RootWalk(access, source, walked, signal)
    roots.push(await walk.whole())
    for (const file of walk.files) files.push(file)
  }
  return { files, roots }
}

/**
 * As `discover`, of the named paths alone. @param paths absolute: files, or folders with all that is in them; what is
 * below none of the roots is passed over. A root's `state` says nothing here.
 */
export async function discoverNamed(
  access: DiscoveryAccess,
  sources: readonly Source[],
  paths: Iterable<string>,
  signal: AbortSignal,
): Promise<NamedDiscovery> {
  const files: FoundFile[] = []
  const roots: FoundRoot[] = []
  const missing: string[] = []
  const left = Array.from(paths)
  const takenBy = new Map<string, Set<string>>()
  for (const source of sources) {
    const taken = takenBy.get(source.reader.agent) ?? new Set()
    takenBy.set(source.reader.agent, taken)
    const inRoot = left.filter((path) => isBelow(path, source.root.path) && !taken.has(path))
    if (inRoot.length === 0) continue
    for (const path of inRoot) taken.add(path)
    const walk = new RootWalk(access, source, new Set(), signal)
    roots.push(await walk.some(inRoot.map((path) => relativeTo(source.root.path, path))))
    for (const file of walk.files) files.push(file)
    missing.push(...walk.missing)
  }
  return { files, roots, missing }
}

function isBelow(path: string, root: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : root + sep)
}

function relativeTo(root: string, path: string): string {
  return path
    .slice(root.length)
    .replace(/^[\\/]/, '')
    .replaceAll(sep, '/')
}
