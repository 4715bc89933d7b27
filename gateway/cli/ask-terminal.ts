/** Asks the person at the terminal; the question goes to stderr, so that results can be piped. */
import { createInterface } from 'node:readline/promises'

/** @returns the line, trimmed; null where there is nobody to answer (end of input, Ctrl-C). */
export type Ask = (question: string, signal: AbortSignal) => Promise<string | null>

export function askOnTerminal(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Ask | undefined {
  if (input.isTTY !== true || output.isTTY !== true) return undefined
  return async (question, signal) => {
    const lines = createInterface({ input, output })
    try {
      const ended = new Promise<null>((resolve) => lines.once('close', () => resolve(null)))
      const answer = await Promise.race([lines.question(question, { signal }), ended])
      return answer === null ? null : answer.trim()
    } catch {
      return null
    } finally {
      lines.close()
    }
  }
}
