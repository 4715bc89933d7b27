/**
 * One pass: look at the disk, take out what is proven gone, read what is new, newest first, and write it.
 * A sweep does all of it; a bounded pass judges no deletions and stops reading after a while.
 */
import { setImmediate as eventLoopTurn } from 'node:timers/promises'
import { allFileRows, countFiles, type FileRow } from '../index/file-rows.ts'
import { readFence } from '../index/read.ts'
import { removeFile } from '../index/write.ts'
import { findDeletions } from './deletions.ts'
import { type Discovery, discover } from './discover.ts'
import type { PassContext, PassOptions } from './pass.ts'
import type { PassPlan } from './progress.ts'
import { decideRead } from './read-decision.ts'
import { type DueFile, readDue } from './read-due.ts'

export interface PassResult {
  /** To be handed to the next pass. */
  readonly emptyRoots: ReadonlySet<string>
  /** Nothing is left that should have been read. */
  readonly isComplete: boolean
}

/** @throws what SQLite throws, and the signal's reason; single files that fail are noted and passed over. */
export async function runPass(context: PassContext, options: PassOptions): Promise<PassResult> {
  const { db, progress, clock } = context
  const startedMs = clock.monotonicMs()
  const discovery = await discover(context, context.sources, context.signal)
  let rows = allFileRows(db)
  let emptyRoots = options.emptyRoots
  const problems = new Map<string, string>()
  if (options.full) {
    const findings = await takeOutGone(context, options, discovery, rows)
    emptyRoots = findings.emptyNow
    for (const [root, reason] of findings.unverified) problems.set(root, reason)
    if (findings.gone.length > 0) rows = allFileRows(db)
  }
  for (const [root, reason] of rootProblems(discovery, rows)) problems.set(root, reason)
  const unreadable = discovery.roots.reduce((count, root) => count + root.unreadable.length, 0)
  progress.degraded(
    Array.from(problems, ([root, reason]) => ({ root, reason })),
    unreadable,
  )

  const due = dueFiles(discovery, rows)
  if (!options.nested) progress.begin(planOf(due))
  const left = due.length === 0 ? [] : await readDue(context, options, due, startedMs)
  progress.committed(readFence(db).generation)
  if (options.nested) progress.reconciled(clock.now())
  else progress.ended(countFiles(db), planOf(left), clock.now(), options.full && left.length === 0)
  return { emptyRoots, isComplete: left.length === 0 }
}

async function takeOutGone(
  context: PassContext,
  options: PassOptions,
  discovery: Discovery,
  rows: readonly FileRow[],
) {
  const findings = await findDeletions(context.fileSystem, {
    rows,
    discovery,
    configuredAgents: context.configuredAgents,
    emptyBefore: options.emptyRoots,
    platform: context.platform,
  })
  for (const path of findings.gone) {
    context.signal.throwIfAborted()
    removeFile(context.db, path)
    await eventLoopTurn()
  }
  return findings
}

/** Why a root could not be looked at in full. One that never was there is an agent that is not installed. */
function rootProblems(discovery: Discovery, rows: readonly FileRow[]): Map<string, string> {
  const held = new Set(rows.map((row) => row.root))
  const problems = new Map<string, string>()
  for (const { source, state, problems: found } of discovery.roots) {
    const { path } = source.root
    const [first] = found
    if (first !== undefined)
      problems.set(path, found.length === 1 ? first : `${first}, and ${found.length - 1} more`)
    else if (state === 'absent' && held.has(path))
      problems.set(path, `${path} held transcripts and is not there`)
    else if (state === 'empty' && held.has(path)) problems.set(path, `${path} held transcripts and is empty`)
  }
  return problems
}

function dueFiles(discovery: Discovery, rows: readonly FileRow[]): DueFile[] {
  const rowAt = new Map(rows.map((row) => [row.path, row]))
  const due: DueFile[] = []
  for (const found of discovery.files) {
    const row = rowAt.get(found.file.path) ?? null
    const decision = decideRead(row, found.stamp, found.format)
    if (decision === 'append' || decision === 'whole')
      due.push({ ...found, isNew: row?.state !== 'current' && row?.state !== 'shadowed' })
  }
  return due.sort((a, b) => b.stamp.mtimeMs - a.stamp.mtimeMs || (a.file.path < b.file.path ? -1 : 1))
}

function planOf(due: readonly DueFile[]): PassPlan {
  return { files: due.length, bytes: due.reduce((sum, { stamp }) => sum + stamp.sizeBytes, 0) }
}
