/** Looks at the disk, as far as a pass has to, and says what of it the index has to read. */
import { duePaths, fileRowAt, type KnownFile } from '../index/file-rows.ts'
import { databaseInPath } from './database-session.ts'
import { discover, discoverNamed } from './discover.ts'
import type { Discovery, FoundFile, FoundRoot, Source } from './discovery.ts'
import type { DueFile, PassContext, PassOptions } from './pass.ts'
import { decideRead } from './read-decision.ts'

export interface DiskLook {
  /** Of the roots that were walked whole: all of them in a sweep. */
  readonly walked: Discovery
  /** Of the others, where something was named. */
  readonly named: readonly FoundRoot[]
  /** What was found in either. */
  readonly files: readonly FoundFile[]
  /** Something that is indexed is not there any more. */
  readonly sawDeletion: boolean
}

/**
 * What stood on the disk when this was called is found, whoever told of it: a root is walked whole unless a watch on
 * all of it has told everything since (disk-watch.ts). Deletions are for a sweep to judge.
 */
export async function lookAtDisk(context: PassContext, options: PassOptions): Promise<DiskLook> {
  const { db, watch, signal } = context
  const { walk, covered, named, hasMoved } = await watch.next(options.full)
  const access = { ...context, watch: watch.listener }
  const walked = await discover(access, walk, signal)
  watch.walked(walked, options.full)
  if (options.full) watch.swept()
  const paths = new Set([...named, ...unfinished(context, covered)])
  const seen = await discoverNamed(access, covered, paths, signal)
  for (const { source, problems } of [...walked.roots, ...seen.roots])
    if (problems.length > 0) watch.again(source.root.path)
  const sawDeletion = hasMoved || seen.missing.some((path) => fileRowAt(db, path) !== null)
  return { walked, named: seen.roots, files: [...walked.files, ...seen.files], sawDeletion }
}

/**
 * Of these files, those that the index does not cover as they are, newest first.
 * @param rows of all files, where they are at hand.
 */
export function dueFiles(
  { db, keptSinceMs, exclusion }: PassContext,
  files: readonly FoundFile[],
  rows: readonly KnownFile[] | null,
): DueFile[] {
  const known = rows === null ? null : new Map(rows.map((row) => [row.path, row]))
  const due: DueFile[] = []
  for (const found of files) {
    const { path } = found.file
    if (exclusion.covers(path)) continue
    const row = known === null ? fileRowAt(db, path) : (known.get(path) ?? null)
    const decision = decideRead(row, found.stamp, found.format, keptSinceMs)
    if (decision === 'append' || decision === 'whole')
      due.push({ ...found, isNew: row?.state !== 'current' && row?.state !== 'shadowed' })
  }
  return due.sort(newestFirst)
}

/** @returns both, newest first; of a file that is in both, what was found last. */
export function withBacklog(due: readonly DueFile[], backlog: readonly DueFile[]): DueFile[] {
  if (backlog.length === 0) return [...due]
  const byPath = new Map([...backlog, ...due].map((each) => [each.file.path, each]))
  return Array.from(byPath.values()).sort(newestFirst)
}

/** What the index says is to be read, and no look would name: read in part, or a copy whose original has gone. */
function unfinished({ db }: PassContext, covered: readonly Source[]): string[] {
  if (covered.length === 0) return []
  return duePaths(db).map(({ path, agent, root }) => {
    const source = covered.find((each) => each.root.path === root && each.reader.agent === agent)
    return (source && databaseInPath(source.reader, root, path)) ?? path
  })
}

function newestFirst(a: FoundFile, b: FoundFile): number {
  return b.stamp.mtimeMs - a.stamp.mtimeMs || (a.file.path < b.file.path ? -1 : 1)
}
