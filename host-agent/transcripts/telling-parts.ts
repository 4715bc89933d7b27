/** Tells a message that comes in parts: texts, with calls and results of tools between them. */
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'
import type { Telling } from './telling.ts'
import { joinParts } from './tool-text.ts'

/** `said` is the speaker's own text; `tool` everything else there is to find. */
export interface MessagePart {
  readonly kind: 'said' | 'tool'
  readonly text: string
  /** When this part came; absent, when the message did. */
  readonly atMs?: number | null
}

const commonTags = openingTags(commonInjectedTags)

/**
 * Texts that follow on each other become one; however many pieces tools leave of a message, it counts once. What a
 * program put into a user's text is told as a tool's.
 * @param injected the opening tags of what this agent's program puts there, where there is more than the common ones.
 */
export function tellMessage(
  tell: Telling,
  role: 'user' | 'assistant',
  atMs: number | null,
  parts: readonly MessagePart[],
  injected: RegExp = commonTags,
): void {
  const { messageCount } = tell.tally
  let run: MessagePart[] = []
  const endRun = (): void => {
    const text = joinParts(run.map((part) => part.text))
    const at = run[0]?.atMs ?? atMs
    run = []
    if (role === 'assistant') tell.assistant(text, at)
    else tellUserText(tell, text, at, injected)
  }
  for (const part of parts) {
    if (part.kind === 'said') run.push(part)
    else {
      endRun()
      tell.tool(part.text, part.atMs ?? atMs)
    }
  }
  endRun()
  tell.tally.messageCount = Math.min(tell.tally.messageCount, messageCount + 1)
}

function tellUserText(tell: Telling, text: string, atMs: number | null, injected: RegExp): void {
  const { rest, blocks } = takeBlocks(text, injected)
  for (const { content } of blocks) tell.tool(content.trim(), atMs)
  // Untouched where nothing was taken out: a person's own white space is theirs.
  tell.user(blocks.length === 0 ? text : rest, atMs)
}
