/** The contract's index status: what the indexer saw, not a new look at the disk. */
import * as z from 'zod'
import { oneHostSchema } from './request.ts'

const timeMsSchema = z.number().int().min(0).nullable()
const countSchema = z.number().int().min(0)

const unreadFileSchema = z.object({
  path: z.string().optional().describe('Never for a `relay` caller.'),
  agent: z.string().describe('The coding agent it is of.'),
  reason: z
    .string()
    .optional()
    .describe('Why nothing of it was read; absent where lines were left out. Never for a `relay` caller.'),
  lines: countSchema.describe('Lines and records left out.'),
})

export const searchStatusSchema = z.object({
  enabled: z.boolean().describe('False where searching is switched off, or not offered.'),
  phase: z
    .enum(['idle', 'indexing', 'current', 'degraded', 'closed'])
    .describe('`degraded`: it works, and some roots cannot be read.'),
  filesIndexed: countSchema.describe('Files that are in the index.'),
  filesDue: countSchema.describe('Files still to be read.'),
  filesFailed: countSchema.describe('Files that could not be read.'),
  degradedRoots: z
    .array(
      z.object({
        root: z.string().optional().describe('Never for a `relay` caller.'),
        reason: z.string().describe('Why not; one sentence for all of them for a `relay` caller.'),
      }),
    )
    .describe('Folders that are searched and cannot be read.'),
  lastReconcileAt: timeMsSchema.describe(
    'When the disk was last compared with the index, in milliseconds since the epoch.',
  ),
  lastSweepCompletedAt: timeMsSchema.describe('When the last whole pass over the disk ended, likewise.'),
  generation: countSchema.describe('Grows with every change of the index.'),
  sessions: countSchema.optional().describe('Sessions that can be found, as of the last pass.'),
  messages: countSchema
    .optional()
    .describe('Messages that can be found, likewise; rows of tools are among them.'),
  progress: z
    .object({
      filesDone: countSchema.describe('Files read in this pass.'),
      filesTotal: countSchema.describe('Files to be read in this pass, those read counted.'),
      bytesDone: countSchema.describe('Likewise, in bytes.'),
      bytesTotal: countSchema.describe('Likewise, in bytes.'),
      bytesPerSec: z
        .number()
        .min(0)
        .nullable()
        .optional()
        .describe('Of the work so far; null before there is any.'),
      msLeft: countSchema.nullable().optional().describe('At that rate; null where there is none yet.'),
    })
    .optional()
    .describe('Of the pass under way.'),
  unreadLines: countSchema.optional().describe('Lines and records that could not be read, over all files.'),
  unreadFiles: z
    .array(unreadFileSchema)
    .optional()
    .describe('Files that were not read, or not all of them, failed ones first, some 20 of them.'),
  watching: z
    .object({
      mode: z.enum(['events', 'polling']).describe('Told by the system, or looked for.'),
      reason: z.string().optional().describe('Why it has to look for changes. Never for a `relay` caller.'),
    })
    .optional()
    .describe('How changes on the disk are noticed.'),
  writer: z.enum(['this-agent', 'another-agent']).optional().describe('Who writes the index at the moment.'),
})
export type SearchStatus = z.output<typeof searchStatusSchema>

export const statusRequestSchema = z.object({ executionHostId: oneHostSchema })

/** What stands for "no search service here": not a claim of an empty, current index. */
export const absentServiceStatus: SearchStatus = Object.freeze({
  enabled: false,
  phase: 'idle',
  filesIndexed: 0,
  filesDue: 0,
  filesFailed: 0,
  degradedRoots: [],
  lastReconcileAt: null,
  lastSweepCompletedAt: null,
  generation: 0,
})
