/** The made parts of docs/troubleshooting.md: what each check of `trawl doctor` means, and each reason a host is missing for. */
import { type CheckId, doctorChecks } from '../../../gateway/cli/doctor-checks.ts'
import { sayWhy } from '../../../gateway/words/say-why.ts'
import {
  type LegReport,
  unavailableReasonSchema,
  unreachableReasonSchema,
} from '../../../protocol/session-search/response.ts'
import { withMadeBlocks } from './made-block.ts'
import { code, tableOf } from './markdown.ts'

export const checkIds = Object.keys(doctorChecks) as CheckId[]

/** What a check's section is called. */
export function checkHeading(id: CheckId): string {
  return `${doctorChecks[id].title} (${code(id)})`
}

/** @throws Error where a check or a reason has no place on the page. */
export function withTroubleshooting(page: string): string {
  return withMadeBlocks(page, {
    ...Object.fromEntries(checkIds.map((id) => [`check ${id}`, checkBlock(id)])),
    reasons: reasonsTable(),
  })
}

function checkBlock(id: CheckId): string {
  const { means, remedy } = doctorChecks[id]
  return `**Means:** ${means}\n\n**Remedy:** ${remedy}`
}

type Reason = NonNullable<LegReport['reason']>

function reasonsTable(): string {
  const rows = [
    ...unreachableReasonSchema.options.map((reason) => ['unreachable', reason] as const),
    ...unavailableReasonSchema.options.map((reason) => ['unavailable', reason] as const),
  ].map(([outcome, reason]) => [
    code(reason),
    outcome,
    sayWhy({ executionHostId: '', outcome, reason, durationMs: 10_000 }),
    remedies[reason],
  ])
  return tableOf(['reason', 'outcome', 'in words', 'what to do'], rows)
}

const remedies: Readonly<Record<Reason, string>> = {
  timeout:
    'It is slow, or hangs. `trawl hosts test ID` says at which step. Give it more time with `legTimeoutMs`; after three times in a row it is left alone until it answers a ping.',
  offline:
    'No link. `trawl hosts` says when it is tried again, and since when it is gone; `trawl hosts test ID` tries at once. A host that dials in needs `trawl-agent connect` running there.',
  connecting: 'The gateway has just started, or the host is being tried again. Ask once more.',
  'auth-failed':
    'SSH: load the key that fits (`ssh-add`), and see that `ssh TARGET` works. Runtime: its pairing has ended there; pair again with `trawl-agent pair` and `trawl hosts add`.',
  'host-key':
    'Not known yet: `trawl hosts test ID` at a terminal shows the fingerprint and asks. Changed: find out why before you do anything; if it is right, take the old key out of `known_hosts` (`ssh-keygen -R`), or pair again.',
  protocol:
    'What answered is no `trawl-agent`, or one of a version that cannot be understood. A login script that never ends its output does the same. `trawl hosts test ID` quotes what it saw.',
  'agent-missing':
    'Node is not there or too old, or the agent could not be put there: `trawl hosts` says which. With `ssh.install = "never"`, install `trawl-agent` on its `PATH`.',
  crashed:
    'The agent ended by itself. `trawl hosts` shows what it wrote last; `trawl-agent status` on that machine may say more.',
  'not-configured':
    'Its entry in the configuration cannot be used (`trawl doctor` says why), or the host of this cursor is gone.',
  disabled: 'Its owner has switched it off: `trawl-agent enable` on that machine.',
  'not-ready': 'Its index is being made or cannot be opened: `trawl status --host ID`.',
  'no-service': 'Its agent does not search. Bring it to the version of the gateway.',
}
