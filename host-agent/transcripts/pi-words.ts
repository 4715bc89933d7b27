/** What a person said in a user message of Pi and its kin, and what the program put there. */
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'

export interface PiWords {
  readonly words: string
  /** Files put into the message: searched as tool text. */
  readonly asides: readonly string[]
}

const opening = openingTags([...commonInjectedTags, 'file', 'skill'])

export function piWords(text: string): PiWords {
  const { rest, blocks } = takeBlocks(text, opening)
  const asides = blocks.filter(({ tag }) => tag === 'file').map(({ content }) => content.trim())
  return { words: rest, asides: asides.filter((aside) => aside !== '') }
}

/** OpenClaw's gateway writes before a message when it came and from whom. Such blocks are no words of anybody. */
export function openclawWords(text: string): PiWords {
  const { words, asides } = piWords(text)
  const own = withoutStamp(withoutContext(withoutStamp(words)).trim()).trim()
  return gatewayText.test(own) ? { words: '', asides: [...asides, own] } : { words: own, asides }
}

/** Lines that head a block the gateway added: with the marker of today's versions, or in the words of older ones. */
const contextHeader = /^[^\n]{1,120}(?:⟦openclaw:ctx⟧|\(untrusted[^\n)]{0,80}\):)$/
/** `[Wed 2026-02-18 11:21 GMT+1] ` */
const stamp = /^\[[A-Za-z]{3} \d{4}-\d\d-\d\d \d\d:\d\d[^\]\n]{0,40}\] */
const gatewayText = /^(?:A new session was started via \/new|System(?: \(untrusted\))?: \[|\[cron:)/

function withoutStamp(text: string): string {
  return text.replace(stamp, '')
}

function withoutContext(text: string): string {
  const kept: string[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (contextHeader.test(line.trim())) at = contextEnd(lines, at)
    else kept.push(line)
  }
  return kept.join('\n')
}

/** @returns the last line of the block headed at `at`: a closed fence, or what comes before the next blank line. */
function contextEnd(lines: readonly string[], at: number): number {
  if (lines[at + 1]?.trim() === '```json') {
    const end = lines.findIndex((line, index) => index > at + 1 && line.trim() === '```')
    return end === -1 ? lines.length : end
  }
  const blank = lines.findIndex((line, index) => index > at && line.trim() === '')
  return blank === -1 ? lines.length : blank
}
