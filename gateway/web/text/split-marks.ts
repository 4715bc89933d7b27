/** A snippet as the hosts write it: what matches stands between `[[` and `]]`; brackets of the transcript are kept apart. */
import { plainLine } from './plain-text.ts'

export interface MarkedPart {
  readonly text: string
  readonly isMatch: boolean
}

/** Split first, made plain afterwards: what keeps the transcript's own brackets apart must not be gone too early. */
export function splitMarks(snippet: string): MarkedPart[] {
  return snippet
    .split(/\[\[([\s\S]*?)\]\]/u)
    .map((text, at) => ({ text: plainLine(text), isMatch: at % 2 === 1 }))
    .filter(({ text }) => text !== '')
}
