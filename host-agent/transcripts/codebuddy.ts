/**
 * CodeBuddy: where its sessions lie. Its command line writes records in Claude Code's shape or in that of OpenAI's
 * responses, which are put into Claude's; what its editor extension writes reads in codebuddy-history.ts.
 */
import { posix, win32 } from 'node:path'
import { ClaudeFold } from './claude-fold.ts'
import type { ClaudeLike } from './claude-like.ts'
import { isClaudeTranscript } from './claude-place.ts'
import { buddyHistory, isBuddyHistory, messagesFolder } from './codebuddy-history.ts'
import { type JsonRecord, recordAt, stringAt } from './json-record.ts'
import { contentBlocks } from './message-blocks.ts'
import type { AgentEnvironment, LinesFormat, TranscriptReader } from './reader.ts'
import { argumentsOf, joinParts } from './tool-text.ts'
import { dataFolder } from './vscode-places.ts'

const label = 'CodeBuddy'

const agent: ClaudeLike = { label, invocation: 'codebuddy --resume', translate }

const history = buddyHistory(label)

const lines: LinesFormat = {
  kind: 'lines',
  open: (file, beside, saved) => new ClaudeFold(agent, file, beside, saved),
}

export function codebuddyReader(): TranscriptReader {
  return {
    agent: 'codebuddy',
    label,
    notes: {
      evidence: 'documentation',
      variables: ['CODEBUDDY_CONFIG_DIR', 'LOCALAPPDATA', 'XDG_CONFIG_HOME'],
      resume: 'codebuddy --resume ID',
      remark: 'Subagents belong to their session. Sessions of the editor extension have no command.',
    },
    roots(environment) {
      const { homeDir, platform, env } = environment
      const { isAbsolute, join } = platform === 'win32' ? win32 : posix
      const configured = env.CODEBUDDY_CONFIG_DIR
      const home =
        configured !== undefined && isAbsolute(configured) ? configured : join(homeDir, '.codebuddy')
      const extension = extensionFolders(environment).map((folder) =>
        join(folder, 'CodeBuddyExtension', 'Data'),
      )
      return [join(home, 'projects'), ...extension].map((path) => ({ path }))
    },
    enters: (relativePath) => !relativePath.endsWith('/messages'),
    formatOf(relativePath) {
      if (isBuddyHistory(relativePath)) return history
      return isClaudeTranscript(relativePath) ? lines : null
    },
    companions: (file) => (isBuddyHistory(file.relativePath) ? [messagesFolder(file)] : []),
  }
}

/** Where the extension's data may lie. */
function extensionFolders(environment: AgentEnvironment): string[] {
  const { homeDir, platform, env } = environment
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix
  if (platform !== 'win32')
    return [dataFolder(environment), ...(platform === 'linux' ? [join(homeDir, '.local', 'share')] : [])]
  const local = env.LOCALAPPDATA
  return [local !== undefined && isAbsolute(local) ? local : join(homeDir, 'AppData', 'Local')]
}

function translate(record: JsonRecord): JsonRecord {
  const id = stringAt(record, 'id')
  const common = { ...record, ...(id === null ? {} : { uuid: id }) }
  const message = (type: 'user' | 'assistant', blocks: readonly JsonRecord[]): JsonRecord => ({
    ...common,
    type,
    message: { role: type, id: messageIdOf(record), content: blocks },
  })
  switch (record.type) {
    case 'message': {
      const text = { type: 'text', text: textOf(record.content) }
      if (record.role === 'assistant') return message('assistant', [text])
      // What is neither said by a person nor by the assistant was put there by the program.
      return record.role === 'user'
        ? message('user', [text])
        : { ...message('user', [text]), isCompactSummary: true }
    }
    case 'reasoning': {
      const thinking = textOf(record.rawContent) || textOf(record.content)
      return message('assistant', [{ type: 'thinking', thinking }])
    }
    case 'function_call':
      return message('assistant', [
        {
          type: 'tool_use',
          id: stringAt(record, 'callId'),
          name: stringAt(record, 'name'),
          input: argumentsOf(record.arguments),
        },
      ])
    case 'function_call_result':
      return message('user', [
        { type: 'tool_result', tool_use_id: stringAt(record, 'callId'), content: record.output },
      ])
    case 'topic':
      return { ...common, type: 'ai-title', aiTitle: record.topic }
    default:
      return record
  }
}

function textOf(content: unknown): string {
  return joinParts(contentBlocks(content).map(({ text }) => text))
}

/** The records of one reply name it, so that it counts once. */
function messageIdOf(record: JsonRecord): string | null {
  return stringAt(recordAt(record, 'providerData'), 'messageId') ?? stringAt(record, 'id')
}
