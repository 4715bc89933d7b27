/**
 * How a query was read, for `debug` (additive member `debug.reading`). It holds what the caller wrote and what was made
 * of it, and nothing of the machine: no path that the query did not name, and of the index only the words that stand
 * in for misspelt ones.
 */
import * as z from 'zod'
import { operatorNames } from './query-syntax.ts'

export const readOperatorSchema = z.object({
  name: z.enum(operatorNames),
  /** As written, without quotes. */
  value: z.string(),
  negative: z.boolean(),
  /** What it narrows the answer to, in words; instants as ISO text in UTC. */
  means: z.string(),
})

export const queryReadingSchema = z.object({
  /** Words and what stands together (`src/app.ts`), as written. */
  words: z.array(z.string()),
  /** Quoted spans. */
  phrases: z.array(z.string()),
  /** What may go on: `recon` for `recon*`. */
  prefixes: z.array(z.string()),
  /** Those of the words that are too common to be looked for by themselves. */
  common: z.array(z.string()),
  /** Sessions that hold one of these are left out. */
  without: z.array(z.string()),
  operators: z.array(readOperatorSchema),
  /** What looks like syntax and was taken as text, or was left out, and why. */
  asText: z.array(z.object({ text: z.string(), because: z.string() })),
  repairs: z.array(z.object({ from: z.string(), to: z.string() })),
  /** Whether the words in their order were tried before anything else. */
  literal: z.boolean(),
  /** What answered: the words as one phrase, all in one message, all in one session, some; operators alone; nothing. */
  tier: z.enum(['phrase', 'and', 'session', 'or', 'operators', 'none']),
})
export type QueryReading = z.output<typeof queryReadingSchema>
