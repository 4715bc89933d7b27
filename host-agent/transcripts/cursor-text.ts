/**
 * Reads the plain texts in which Cursor's agent wrote its transcripts before it wrote lines of JSON: `user:` and
 * `assistant:` on lines of their own, tools and thoughts under marks in brackets. Where a message ends is only known
 * from the next one or from the end of the text, so a text is read whole.
 */
import { neighbourPath } from './neighbour-path.ts'
import type { Beside, DocumentFormat, TranscriptFile } from './reader.ts'
import { nothingTold, type SessionIdentity, type Telling, toldWhole } from './telling.ts'
import { joinParts, toolCallText } from './tool-text.ts'

type Words = (text: string) => { readonly words: string }

export function cursorTextFormat(
  label: string,
  wordsOf: Words,
  identityOf: (file: TranscriptFile, beside: Beside) => SessionIdentity,
): DocumentFormat {
  return {
    kind: 'document',
    read(file, beside, bytes) {
      const identity = identityOf(file, beside)
      // The same session as lines: they hold more.
      const others = beside.list(neighbourPath(file.path))
      if (others.includes(identity.sessionId) || others.includes(`${identity.sessionId}.jsonl`))
        return nothingTold(label, file, identity.sessionId)
      return toldWhole(label, file, (tell) => {
        for (const { role, lines } of turnsIn(bytes.toString('utf8'))) {
          if (role === 'user') tell.user(wordsOf(lines.join('\n').trim()).words, null)
          else tellAssistant(lines, tell)
        }
        return identity
      })
    },
  }
}

interface Turn {
  readonly role: string
  readonly lines: string[]
}

function turnsIn(text: string): readonly Turn[] {
  const turns: Turn[] = []
  for (const line of text.split(/\r?\n/)) {
    const role = /^(user|assistant):\s*$/.exec(line)?.[1]
    if (role !== undefined) turns.push({ role, lines: [] })
    else turns.at(-1)?.lines.push(line)
  }
  return turns
}

/** `[Tool call] name` with its arguments indented below, `[Tool result] name`, `[Thinking] …`, and text between them. */
function tellAssistant(lines: readonly string[], tell: Telling): void {
  let counted = false
  let said: string[] = []
  const flush = (): void => {
    const text = said.join('\n').trim()
    said = []
    if (text === '') return
    if (counted) tell.more(text, null)
    else tell.assistant(text, null)
    counted = true
  }
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const mark = /^\[(Tool call|Tool result|Thinking)\]\s*(.*)$/.exec(line.trimEnd())
    at++
    if (mark === null) {
      said.push(line)
      continue
    }
    const body: string[] = []
    while (at < lines.length && /^(?:\s|$)/.test(lines[at] ?? '')) body.push((lines[at++] ?? '').trim())
    const [, kind, name = ''] = mark
    if (kind === 'Thinking') said.push(joinParts([name, ...body]))
    else {
      flush()
      tell.tool(kind === 'Tool call' ? toolCallText(name, joinParts(body)) : joinParts(body), null)
    }
  }
  flush()
}
