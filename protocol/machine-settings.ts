/**
 * What the configuration says for the agent of its own machine. That agent goes by it, and the gateway, which reads the
 * same file, checks it. Every message completes the sentence "<key> must be …".
 */
import { isAbsolute } from 'node:path'
import * as z from 'zod'
import { expandHome } from './places.ts'

const defaultGraceMinutes = 10

const rootsAllowed =
  'a list of directories, as in ["~/.claude/projects"]; an empty list switches the agent off'
const historyDaysAllowed = 'a whole number of days from 1 to 3650'
const excludeAllowed = 'a list of paths, as in ["~/work/secret", "~/clients/*"]'
const excludedPathAllowed = 'a path that begins with / or ~/, as in "~/work/secret"'
const graceAllowed = 'a number of minutes from 0 to 1440'

export const machineSettingsFields = {
  sources: z
    .record(
      z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'an agent name of lower-case letters, digits and hyphens'),
      z.array(z.string({ error: rootsAllowed }).trim().min(1, rootsAllowed), { error: rootsAllowed }),
      { error: 'a table of agent = [directories]' },
    )
    .default({})
    .describe(
      'Coding agent = where its transcripts lie on this machine, in place of its own roots. An empty list switches the agent off.',
    ),
  index: z
    .object(
      {
        historyDays: z
          .number({ error: historyDaysAllowed })
          .int(historyDaysAllowed)
          .min(1, historyDaysAllowed)
          .max(3650, historyDaysAllowed)
          .optional()
          .describe(
            'Sessions whose last message is older are not indexed, and those that are leave the index. Without it all are kept.',
          ),
        exclude: z
          .array(
            z.string({ error: excludeAllowed }).refine((path) => isAbsolute(expandHome(path, '/')), {
              error: excludedPathAllowed,
            }),
            { error: excludeAllowed },
          )
          .default([])
          .describe(
            'Neither what was said in these folders nor transcripts that lie there are indexed; `*` stands for any name.',
          ),
      },
      { error: 'a table' },
    )
    .prefault({})
    .describe('What is kept in the index of this machine.'),
  agent: z
    .object(
      {
        graceMinutes: z
          .number({ error: graceAllowed })
          .min(0, graceAllowed)
          .max(1440, graceAllowed)
          .default(defaultGraceMinutes)
          .describe(
            'How long the agent that SSH connections share stays without one; 0: there is none, and each connection has its own.',
          ),
      },
      { error: 'a table' },
    )
    .prefault({})
    .describe('The agent of this machine.'),
}

export const machineSettingsSchema = z.object(machineSettingsFields)
export type MachineSettings = z.output<typeof machineSettingsSchema>

/** What is wrong first, as a sentence without its full stop. Keys are dotted, as TOML takes them. */
export function firstComplaint(error: z.ZodError): string {
  const issue = error.issues[0]
  const key = issue?.path.map(String).join('.') ?? ''
  const isName = issue?.code === 'invalid_key'
  const allowed = (isName ? issue.issues[0]?.message : issue?.message) ?? 'something else'
  return isName ? `${key}: the name must be ${allowed}` : `${key} must be ${allowed}`
}
