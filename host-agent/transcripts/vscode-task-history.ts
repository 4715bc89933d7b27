/**
 * Tells a task's `api_conversation_history.json`, as Cline and its forks (Roo Code, Kilo Code) write it: what went to
 * the model and came back. Read where what the person saw is not there.
 */
import { tellContent } from './content-blocks.ts'
import { openingTags, takeBlocks } from './injected-text.ts'
import { asRecord } from './json-record.ts'
import type { Telling } from './telling.ts'
import { timestampMs } from './timestamps.ts'

export function tellTaskHistory(messages: readonly unknown[], tell: Telling): void {
  for (const value of messages) {
    const message = asRecord(value)
    if (message === null) {
      tell.bad()
      continue
    }
    const atMs = timestampMs(message.ts)
    const summary = message.isSummary === true
    tellContent(
      message.content ?? message.text,
      (text) => {
        if (summary) tell.tool(text, atMs)
        else if (message.role === 'assistant' || message.type === 'reasoning') tell.assistant(text, atMs)
        else if (message.role === 'user') tellUserText(text, tell, atMs)
        else tell.unknown()
      },
      tell,
      atMs,
    )
  }
}

/** A person's words stand within tags; results and reminders stand around them. */
function tellUserText(text: string, tell: Telling, atMs: number | null): void {
  const { rest, blocks } = takeBlocks(text, opening)
  for (const { tag, content } of blocks) {
    if (wordTags.has(tag)) tell.user(content.trim(), atMs)
  }
  if (programText.test(rest)) tell.tool(rest, atMs)
  else tell.user(rest, atMs)
}

const wordTags = new Set(['task', 'feedback', 'answer', 'user_message'])
const opening = openingTags([...wordTags, 'environment_details', 'explicit_instructions', 'system-reminder'])
/** The result of a tool, or what the extension tells the model on its own. */
const programText =
  /^\[[^\n]{1,400}\](?: Result:|\s*$)|^\[(?:TASK RESUMPTION|ERROR|NOTE)\]|^(?:Error|Command executed|The user |<file_content)/
