/**
 * Tells an Aider chat history: `####` before each line a person typed, `>` before each line of the program, the rest
 * is the assistant's.
 */
import type { Telling } from './telling.ts'

/** `2026-06-09 14:01:00` on the clock on the wall as milliseconds since the epoch; null for what is no time. */
export type LocalTime = (written: string) => number | null

type Role = 'user' | 'assistant' | 'tool'

export function tellAiderHistory(markdown: string, tell: Telling, localTime: LocalTime): void {
  const lines = markdown.split('\n')
  // Aider ends its own lines with two spaces: headings in a reply have none. An editor may have taken them all away.
  const marked = lines.some((line) => typedLine.test(line) && endsMarked(line))
  let atMs: number | null = null
  let role: Role = 'assistant'
  let text: string[] = []
  const close = (): void => {
    const told = text.join('\n').trim()
    if (told !== blankInput) tell[role](told, atMs)
    text = []
  }
  const add = (lineRole: Role, line: string): void => {
    if (lineRole !== role) close()
    role = lineRole
    text.push(line)
  }
  for (const given of lines) {
    const line = given.replace(/\r$/, '')
    const started = runHeader.exec(line)
    if (started !== null) {
      close()
      role = 'assistant'
      atMs = localTime(started[1] ?? '')
      tell.at(atMs)
    } else if (typedLine.test(line) && (!marked || endsMarked(line))) add('user', line.slice(5).trimEnd())
    else if (/^> ?/.test(line)) add('tool', line.replace(/^> ?/, '').trimEnd())
    // Blank lines stand between parts, and within a reply.
    else if (line.trim() !== '' || role === 'assistant') add('assistant', line)
  }
  close()
}

/** What stands for a prompt without a word. */
const blankInput = '<blank>'
const runHeader = /^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$/
const typedLine = /^####(?: |\s*$)/

function endsMarked(line: string): boolean {
  return / {2}\r?$/.test(line)
}
