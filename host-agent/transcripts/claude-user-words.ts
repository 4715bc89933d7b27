/** What a person said in the text of a Claude Code `user` record, and what the program put there. */
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'

export interface UserWords {
  /** The person's own words; empty where there are none. A slash command counts by what was typed after it. */
  readonly words: string
  /** What ran or came back outside the conversation: shell lines, notices of tasks, summaries. Searched as tool text. */
  readonly asides: readonly string[]
  /** The slash command, with or without arguments: names a session that nothing else names. */
  readonly command: string | null
}

const opening = openingTags([
  ...commonInjectedTags,
  'command-name',
  'command-message',
  'command-args',
  'command-contents',
  'local-command-caveat',
  'local-command-stdout',
  'local-command-stderr',
  'bash-input',
  'bash-stdout',
  'bash-stderr',
  'user-memory-input',
  'ide_opened_file',
  'ide_selection',
  'ide_diagnostics',
  'new-diagnostics',
  'user-prompt-submit-hook',
  'session-start-hook',
  'post-tool-use-hook',
  'task-notification',
  'teammate-message',
])

/** Texts that are the program's from their first word to their last. */
const programText =
  /^(?:\[Request interrupted|Caveat: The messages below|(?:Stop|SubagentStop|PreToolUse|PostToolUse|UserPromptSubmit|SessionStart|PreCompact)(?::\S+)? hook (?:feedback|blocking error)[^\n]{0,200}:)/
/** A compaction's summary, also where no field says so. */
const continuation = /^This session is being continued from a previous conversation/

export function claudeUserWords(text: string): UserWords {
  const { rest, blocks } = takeBlocks(text, opening)
  const words: string[] = []
  const asides: string[] = []
  let command: string | null = null
  let commandWords = ''
  for (const { tag, content } of blocks) {
    const inner = content.trim()
    if (inner === '') continue
    if (tag === 'command-name') command = inner
    else if (tag === 'command-args') commandWords = inner
    else if (tag === 'user-memory-input') words.push(inner)
    else if (tag === 'bash-input') asides.push(`bash: ${inner}`)
    else if (asideTags.has(tag)) asides.push(inner)
  }
  if (commandWords !== '') words.push(command === null ? commandWords : `${command} ${commandWords}`)
  if (continuation.test(rest)) asides.push(rest)
  else if (rest !== '' && !programText.test(rest)) words.push(rest)
  return { words: words.join('\n'), asides, command }
}

const asideTags = new Set(['bash-stdout', 'bash-stderr', 'task-notification', 'teammate-message'])
