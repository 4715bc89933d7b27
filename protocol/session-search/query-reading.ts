/**
 * How a query was read, for `debug` (additive member `debug.reading`). It holds what the caller wrote and what was made
 * of it, and nothing of the machine: no path that the query did not name, and of the index only the words that stand
 * in for misspelt ones.
 */
import * as z from 'zod'
import { operatorNames } from './query-syntax.ts'

export const readOperatorSchema = z.object({
  name: z.enum(operatorNames).describe('What stands before the colon.'),
  value: z.string().describe('As written, without quotes.'),
  negative: z.boolean().describe('It stands behind a minus.'),
  means: z.string().describe('What it narrows the answer to, in words; instants as ISO text in UTC.'),
})

export const queryReadingSchema = z.object({
  words: z.array(z.string()).describe('Words and what stands together (`src/app.ts`), as written.'),
  phrases: z.array(z.string()).describe('Quoted spans.'),
  prefixes: z.array(z.string()).describe('What may go on: `recon` for `recon*`.'),
  common: z
    .array(z.string())
    .describe('Those of the words that are too common to be looked for by themselves.'),
  without: z.array(z.string()).describe('Sessions that hold one of these are left out.'),
  operators: z.array(readOperatorSchema).describe('What narrows the answer.'),
  asText: z
    .array(
      z.object({ text: z.string().describe('As written.'), because: z.string().describe('Why, in words.') }),
    )
    .describe('What looks like syntax and was taken as text, or was left out, and why.'),
  repairs: z
    .array(z.object({ from: z.string().describe('As written.'), to: z.string().describe('As looked for.') }))
    .describe('Misspelt words, and what stands in for them.'),
  literal: z.boolean().describe('Whether the words in their order were tried before anything else.'),
  tier: z
    .enum(['phrase', 'and', 'session', 'or', 'operators', 'none'])
    .describe(
      'What answered: the words as one phrase, all in one message, all in one session, some; operators alone; nothing.',
    ),
})
export type QueryReading = z.output<typeof queryReadingSchema>
