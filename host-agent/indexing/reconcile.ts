/**
 * One pass: look at the disk, take out what is proven gone, read what is new, newest first, and write it.
 * A sweep does all of it; a bounded pass judges no deletions and stops reading after a while.
 */
import { createHash } from 'node:crypto'
import { setImmediate as eventLoopTurn } from 'node:timers/promises'
import {
  countFiles,
  duePaths,
  hasFailuresToRetry,
  holdsFilesOf,
  type KnownFile,
  knownFiles,
  unreadFiles,
} from '../index/file-rows.ts'
import { maxFailures } from '../index/file-writes.ts'
import { readFence } from '../index/read.ts'
import { forgetSweepDigest, keepSweepDigest, readSweepDigest } from '../index/sweep-digest.ts'
import { removeFile } from '../index/write.ts'
import { findDeletions } from './deletions.ts'
import type { Discovery, FoundRoot } from './discovery.ts'
import { dueFiles, lookAtDisk, withBacklog } from './look.ts'
import type { DueFile, PassContext, PassOptions } from './pass.ts'
import { maxUnreadFiles, type PassPlan, type RootNote } from './progress.ts'
import { readDue } from './read-due.ts'
import { hideExcluded, purgeOld } from './retention.ts'

export interface PassResult {
  /** To be handed to the next pass. */
  readonly emptyRoots: ReadonlySet<string>
  /** Nothing is left that should have been read. */
  readonly isComplete: boolean
  /** What looking at the disk took. */
  readonly lookMs: number
  /** Something that is indexed is not there any more, or is to be tried again: both are for a sweep. */
  readonly wantsSweep: boolean
}

/** @throws what SQLite throws, and the signal's reason; single files that fail are noted and passed over. */
export async function runPass(context: PassContext, options: PassOptions): Promise<PassResult> {
  const { db, progress, clock, backlog } = context
  const startedMs = clock.monotonicMs()
  if (options.full || context.isNewExclusion) await hideExcluded(context)
  const { due, emptyRoots, sawDeletion, digest } = await findWork(context, options)
  const lookMs = clock.monotonicMs() - startedMs

  if (!options.nested) {
    backlog.files = due
    progress.begin(planOf(due))
  }
  const left = due.length === 0 ? [] : await readDue(context, options, due, startedMs)
  if (!options.nested) backlog.files = left
  await purgeOld(context)
  progress.committed(readFence(db).generation)
  progress.watching(context.watch.status())
  if (options.nested) progress.reconciled(clock.now())
  else {
    const counts = countFiles(db)
    const unread = counts.failed + counts.unreadLines === 0 ? [] : unreadFiles(db, maxUnreadFiles)
    progress.ended(counts, unread, planOf(left), clock.now(), options.full && left.length === 0)
  }
  const isComplete = left.length === 0
  const wantsSweep = sawDeletion || hasFailuresToRetry(db, maxFailures)
  if (digest !== null && isComplete && !wantsSweep && duePaths(db).length === 0) keepSweepDigest(db, digest)
  return { emptyRoots, isComplete, lookMs, wantsSweep }
}

const manyFiles = 256

interface Work {
  readonly due: readonly DueFile[]
  readonly emptyRoots: ReadonlySet<string>
  readonly sawDeletion: boolean
  /** Of a sweep after which nothing is left to do once `due` is read; null otherwise. */
  readonly digest: string | null
}

/** A function of its own, so that what was found beside the work is let go of before the reading, which may take long. */
async function findWork(context: PassContext, options: PassOptions): Promise<Work> {
  const { db, progress, backlog } = context
  const { walked, named, files, sawDeletion } = await lookAtDisk(context, options)
  const digest = options.full ? digestOf(context, walked) : null
  if (digest !== null && digest === readSweepDigest(db)) {
    progress.lookedAtAll(
      rootNotes(walked.roots, () => false, new Map()),
      true,
    )
    return { due: [], emptyRoots: new Set(), sawDeletion, digest: null }
  }
  let emptyRoots = options.emptyRoots
  // Few files are asked for one by one.
  let rows = options.full || files.length > manyFiles ? knownFiles(db) : null
  const unverified = new Map<string, string>()
  if (options.full && rows !== null) {
    const findings = await takeOutGone(context, options, walked, rows)
    emptyRoots = findings.emptyNow
    for (const [root, reason] of findings.unverified) unverified.set(root, reason)
    if (findings.gone.length > 0) rows = knownFiles(db)
  }
  const held = new Set(rows?.map((row) => row.root))
  const holds = (root: string) => (rows === null ? holdsFilesOf(db, root) : held.has(root))
  progress.lookedAtAll(rootNotes(walked.roots, holds, unverified), options.full)
  progress.lookedAtSome(rootNotes(named, holds, new Map()))
  const found = dueFiles(context, files, rows)
  const takesBacklog = !options.full && (!options.nested || options.asked)
  const due = takesBacklog ? withBacklog(found, backlog.files) : found
  const isSound = unverified.size === 0 && walked.roots.every(({ problems }) => problems.length === 0)
  return {
    due: due.filter(({ file }) => file.path !== backlog.reading),
    emptyRoots,
    sawDeletion,
    digest: isSound ? digest : null,
  }
}

async function takeOutGone(
  context: PassContext,
  options: PassOptions,
  discovery: Discovery,
  rows: readonly KnownFile[],
) {
  const findings = await findDeletions(context.fileSystem, {
    rows,
    discovery,
    configuredAgents: context.configuredAgents,
    emptyBefore: options.emptyRoots,
    platform: context.platform,
  })
  if (findings.gone.length > 0) forgetSweepDigest(context.db)
  for (const path of findings.gone) {
    context.signal.throwIfAborted()
    removeFile(context.db, path)
    await eventLoopTurn()
  }
  return findings
}

/** Null where not everything that is found is wanted, or more is than what is looked for here. */
function digestOf({ config, keptSinceMs }: PassContext, { roots, files }: Discovery): string | null {
  if (config === null || keptSinceMs !== null) return null
  const lines = [config]
  for (const { source, state } of roots) lines.push(`${state} ${source.root.path}`)
  for (const { file, stamp } of files) {
    const { sizeBytes, mtimeMs, device, inode, beside } = stamp
    lines.push(`${sizeBytes} ${mtimeMs} ${device} ${inode} ${beside} ${file.root.path} ${file.path}`)
  }
  return createHash('sha256').update(lines.join('\n')).digest('base64url')
}

/** @param holds whether the index has files of the root. @returns why roots could not be looked at in full. One that never was there is an agent that is not installed. */
function rootNotes(
  roots: readonly FoundRoot[],
  holds: (root: string) => boolean,
  unverified: ReadonlyMap<string, string>,
): RootNote[] {
  return roots.map(({ source, state, problems, unreadable }) => {
    const { path } = source.root
    const [first] = problems
    let reason = unverified.get(path) ?? null
    if (first !== undefined)
      reason = problems.length === 1 ? first : `${first}, and ${problems.length - 1} more`
    else if (state === 'absent' && holds(path)) reason = `${path} held transcripts and is not there`
    else if (state === 'empty' && holds(path)) reason = `${path} held transcripts and is empty`
    return { root: path, agent: source.reader.agent, reason, unreadable }
  })
}

function planOf(due: readonly DueFile[]): PassPlan {
  return { files: due.length, bytes: due.reduce((sum, { stamp }) => sum + stamp.sizeBytes, 0) }
}
