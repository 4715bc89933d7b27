/** The contract's index status: what the indexer saw, not a new look at the disk. */
import { z } from 'zod'

const timeMsSchema = z.number().int().min(0).nullable()

export const searchStatusSchema = z.object({
  enabled: z.boolean(),
  phase: z.enum(['idle', 'indexing', 'current', 'degraded', 'closed']),
  filesIndexed: z.number().int().min(0),
  filesDue: z.number().int().min(0),
  filesFailed: z.number().int().min(0),
  degradedRoots: z.array(z.object({ root: z.string().optional(), reason: z.string() })),
  lastReconcileAt: timeMsSchema,
  lastSweepCompletedAt: timeMsSchema,
  generation: z.number().int().min(0),
  /** Additive: what a person watching a first run wants to know. */
  progress: z
    .object({
      filesDone: z.number().int().min(0),
      filesTotal: z.number().int().min(0),
      bytesDone: z.number().int().min(0),
      bytesTotal: z.number().int().min(0),
    })
    .optional(),
  /** Additive: lines and records that could not be read, over all files. */
  unreadLines: z.number().int().min(0).optional(),
})
export type SearchStatus = z.output<typeof searchStatusSchema>

export const statusRequestSchema = z.object({ executionHostId: z.string().optional() })

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
