/** Tells a message whose content is one string or a list of blocks: texts, with tools between them. */
import { contentBlocks, tellRuns } from './message-blocks.ts'
import type { Telling } from './telling.ts'

/**
 * Gives each run of texts and thoughts to `say` as one text and tells the tools between them, in order; however many
 * runs tools leave of a message, it counts once.
 */
export function tellContent(
  content: unknown,
  say: (text: string) => void,
  tell: Telling,
  atMs: number | null,
): void {
  const { messageCount } = tell.tally
  tellRuns(contentBlocks(content), say, tell, atMs)
  tell.tally.messageCount = Math.min(tell.tally.messageCount, messageCount + 1)
}
