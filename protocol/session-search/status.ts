/** The contract's index status: what the indexer saw, not a new look at the disk. */
import * as z from 'zod'

const timeMsSchema = z.number().int().min(0).nullable()

const unreadFileSchema = z.object({
  /** Not for everybody to see (exposure.ts). */
  path: z.string().optional(),
  agent: z.string(),
  /** Why nothing of it was read; absent where lines were left out. */
  reason: z.string().optional(),
  /** Lines and records left out. */
  lines: z.number().int().min(0),
})

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
      /** Of the work so far; null before there is any. */
      bytesPerSec: z.number().min(0).nullable().optional(),
      /** At that rate; null where there is none yet. */
      msLeft: z.number().int().min(0).nullable().optional(),
    })
    .optional(),
  /** Additive: lines and records that could not be read, over all files. */
  unreadLines: z.number().int().min(0).optional(),
  /** Additive: files that were not read, or not all of them, failed ones first, some 20 of them. */
  unreadFiles: z.array(unreadFileSchema).optional(),
  /** Additive: how changes on the disk are noticed; `reason` says why it has to look for them. */
  watching: z.object({ mode: z.enum(['events', 'polling']), reason: z.string().optional() }).optional(),
  /** Additive: who writes the index at the moment. */
  writer: z.enum(['this-agent', 'another-agent']).optional(),
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
