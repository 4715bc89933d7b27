/**
 * The one lexer of the search box: what is an operator, a quoted span, a word, and what is left out by a minus.
 * Pure text in, parts out; it knows no dates, no agents and no hosts. The gateway reads `host:` with it, the host agent
 * all the rest. Every text has a reading: there is no syntax error.
 */

export const operatorNames = ['agent', 'host', 'repo', 'path', 'branch', 'role', 'before', 'after'] as const
export type OperatorName = (typeof operatorNames)[number]

/** Where a part stands, in UTF-16 units of the text. */
interface Placed {
  readonly start: number
  readonly end: number
}

export interface OperatorPart extends Placed {
  readonly kind: 'operator'
  readonly name: OperatorName
  /** Without quotes and outer white space; never empty. */
  readonly value: string
  readonly negative: boolean
}

export interface TextPart extends Placed {
  readonly kind: 'text'
  /** Without its quotes, its minus and its star. */
  readonly text: string
  readonly quoted: boolean
  readonly negative: boolean
  /** The last word of it may go on: `recon*`, `"connection res"*`. */
  readonly prefix: boolean
  /** Why something that looks like syntax was taken as text. */
  readonly because?: TextReason
}

/** An operator that is still being typed: `needle repo:`. It says nothing yet. */
export interface UnfinishedPart extends Placed {
  readonly kind: 'unfinished'
}

export type QueryPart = OperatorPart | TextPart | UnfinishedPart
export type TextReason = 'unknown-operator' | 'no-value' | 'number' | 'flag'

/** Keyboards of phones and Macs make `“two words”` of `"two words"`. */
const operatorShape = /(-?)([a-z]+):(?:"([^"]*)"|“([^“”]*)”|'([^']*)'|(\S*))/iu
const quotedShape = /(-?)(?:"([^"]*)"|“([^“”]*)”)(\*(?!\S))?/u
const wordShape = /[^\s"“]+/u

/** `lang:ts`, but neither `https://…` nor `std::vec` nor `localhost:8080`. */
const operatorLike = /^-?[a-z]{2,}:[^\s/\\:\d]/iu
/** A minus leaves out what follows it, unless that makes a flag (`--watch`, `-m`), an arrow or a number. */
const leavesOut = /^-(?![a-z](?:$|[^\p{L}\p{N}_]))[^\s\d\-=>]/iu
/** One star, at the end of a word: not `**bold**`, `*.ts` or `src/*`. */
const starred = /^(?!\*).*[\p{L}\p{N}\p{M}_]\*$/u

/** @returns the parts of `text` in order. Takes time in proportion to its length. */
export function readQuerySyntax(text: string): QueryPart[] {
  const operatorAt = matcher(operatorShape, text)
  const quotedAt = matcher(quotedShape, text)
  const wordAt = matcher(wordShape, text)
  const parts: QueryPart[] = []
  let at = 0
  while (at < text.length) {
    if (isBlank(text, at)) {
      at++
      continue
    }
    const startsWord = at === 0 || isBlank(text, at - 1)
    const part =
      (startsWord ? operatorPart(operatorAt(at)) : null) ??
      quotedPart(quotedAt(at), startsWord) ??
      wordPart(wordAt(at), startsWord)
    if (part !== null) parts.push(part)
    // A quote that nothing closes is no more than a sign.
    at = part?.end ?? at + 1
  }
  return withUnfinished(parts)
}

/**
 * An operator without its value, behind which no words come, is still being typed: as a word it would only take hits away.
 * Elsewhere (`bad path: …`, pasted) it is a word like any other. Other operators behind it make no difference, so that
 * the text means the same when `host:` is taken out of it.
 */
function withUnfinished(parts: readonly QueryPart[]): QueryPart[] {
  const lastWord = parts.findLastIndex((part) => part.kind === 'text' && part.because !== 'no-value')
  return parts.map((part, at) =>
    at > lastWord && part.kind === 'text' ? { kind: 'unfinished', start: part.start, end: part.end } : part,
  )
}

/** The text without some of its parts, and without the white space that set them off. */
export function withoutParts(text: string, parts: readonly QueryPart[]): string {
  let rest = ''
  let at = 0
  for (const part of parts) {
    rest += text.slice(at, part.start)
    at = part.end
    while (isBlank(text, at) && (rest === '' || isBlank(rest, rest.length - 1))) at++
  }
  return rest + text.slice(at)
}

function operatorPart(found: RegExpExecArray | null): OperatorPart | TextPart | null {
  if (found === null) return null
  const [whole, minus = '', word = '', ...values] = found
  const name = operatorNames.find((each) => each === word.toLowerCase())
  if (name === undefined) return null
  const place = { start: found.index, end: found.index + whole.length }
  const bare = values.at(-1)?.replace(/^["'“]/, '')
  const value = (values.slice(0, -1).find((quoted) => quoted !== undefined) ?? bare ?? '').trim()
  if (value !== '') return { kind: 'operator', name, value, negative: minus !== '', ...place }
  return { ...plainText(`${word}:`, place), because: 'no-value' }
}

function quotedPart(found: RegExpExecArray | null, startsWord: boolean): TextPart | null {
  if (found === null) return null
  const [whole, minus = '', straight, curly, star] = found
  if (minus !== '' && !startsWord) return null
  return {
    ...plainText(straight ?? curly ?? '', { start: found.index, end: found.index + whole.length }),
    quoted: true,
    negative: minus !== '',
    prefix: star !== undefined,
  }
}

function wordPart(found: RegExpExecArray | null, startsWord: boolean): TextPart | null {
  if (found === null) return null
  const [word] = found
  const negative = startsWord && leavesOut.test(word)
  const prefix = starred.test(word)
  const reason = startsWord ? reasonFor(word) : undefined
  return {
    ...plainText(word.slice(negative ? 1 : 0, prefix ? -1 : undefined), {
      start: found.index,
      end: found.index + word.length,
    }),
    negative,
    prefix,
    ...(reason === undefined ? {} : { because: reason }),
  }
}

function reasonFor(word: string): TextReason | undefined {
  if (operatorLike.test(word)) return 'unknown-operator'
  if (/^-\d/.test(word)) return 'number'
  if (/^--?\p{L}/u.test(word) && !leavesOut.test(word)) return 'flag'
  return undefined
}

function plainText(text: string, place: Placed): TextPart {
  return { kind: 'text', text, quoted: false, negative: false, prefix: false, ...place }
}

function isBlank(text: string, at: number): boolean {
  return /\s/u.test(text.charAt(at))
}

/** Matches at one place only. Each text has its own, since such an expression keeps where it stands. */
function matcher(shape: RegExp, text: string): (at: number) => RegExpExecArray | null {
  const sticky = new RegExp(shape, `${shape.flags}y`)
  return (at) => {
    sticky.lastIndex = at
    return sticky.exec(text)
  }
}
