/** HOST AGENT SESSION, as a command is given them. */
import { parseHostId } from '../../protocol/host-id.ts'
import { agentNamePattern } from '../../protocol/session-search/agent-name.ts'
import { plainText } from '../words/plain-text.ts'
import { type Arguments, usage } from './arguments.ts'

export interface SessionName {
  readonly executionHostId: string
  readonly agent: string
  readonly sessionId: string
}

/** @throws Refusal `usage`. */
export function readSessionName({ words }: Arguments, command: string): SessionName {
  const [host = '', agent = '', sessionId = '', ...more] = words
  if (sessionId === '' || more.length > 0)
    throw usage('It takes a host, an agent and a session, as trawl search prints them in a pipe.', command)
  const executionHostId = parseHostId(host)?.id
  if (executionHostId === undefined)
    throw usage(`${plainText(host)} is no host id. Those there are: trawl hosts.`, command)
  if (!agentNamePattern.test(agent)) throw usage(`${plainText(agent)} is no agent's name.`, command)
  return { executionHostId, agent, sessionId }
}
