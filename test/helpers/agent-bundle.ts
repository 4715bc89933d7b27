/** The agent as one file, as `npm run build` makes it for SSH hosts. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentBundle, openAgentBundle } from '../../gateway/hosts/ssh/agent-bundle.ts'
import { repositoryRoot } from './bundle.ts'

export const agentBundleFile = join(repositoryRoot, 'dist/agent-bundle/trawl-agent.mjs')

/** Where better-sqlite3 lies, for a Node without SQLite of its own; for NODE_PATH. */
export const packagesDir = join(repositoryRoot, 'node_modules')

/** For `describe.skipIf`: these tests push what `npm run build` has made. */
export function whyNoBundle(): string | null {
  if (existsSync(agentBundleFile)) return null
  const reason = 'skipped: dist/agent-bundle/ is not built (npm run build)'
  process.stderr.write(`${reason}\n`)
  return reason
}

export function builtAgentBundle(): AgentBundle {
  return openAgentBundle(agentBundleFile)
}
