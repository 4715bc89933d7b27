/**
 * The inside of a line of Markdown as a tree of plain values: never HTML, nothing that runs. What is no Markdown stays
 * the text it is. Takes time in proportion to the text, whatever the text.
 */

export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis' | 'struck'; readonly inlines: readonly Inline[] }
  /** `href` is http or https, and nothing else. */
  | { readonly kind: 'link'; readonly href: string; readonly inlines: readonly Inline[] }

type Wrapped = Extract<Inline, { kind: 'strong' | 'emphasis' | 'struck' }>['kind']

const delimiters: readonly (readonly [sign: string, kind: Wrapped])[] = [
  ['**', 'strong'],
  ['__', 'strong'],
  ['~~', 'struck'],
  ['*', 'emphasis'],
  ['_', 'emphasis'],
]
const maxDepth = 6
const maxLinkUnits = 2048
const wordCharacter = /[\p{L}\p{N}]/u
const opensSomething = /[`*_~[\\]|https?:\/\//

export function readInlines(text: string, depth = 0): Inline[] {
  if (depth >= maxDepth || !opensSomething.test(text)) return text === '' ? [] : [{ kind: 'text', text }]
  const inlines: Inline[] = []
  /** Signs that nothing closes from here on. */
  const unclosed = new Set<string>()
  let plain = ''
  let at = 0
  const push = (inline: Inline, end: number) => {
    if (plain !== '') inlines.push({ kind: 'text', text: plain })
    plain = ''
    inlines.push(inline)
    at = end
  }
  while (at < text.length) {
    const found =
      codeAt(text, at, unclosed) ?? linkAt(text, at, depth) ?? wrappedAt(text, at, depth, unclosed)
    if (found !== null) {
      push(found.inline, found.end)
      continue
    }
    const sign = text.charAt(at)
    const isEscape = sign === '\\' && /[`*_~[\]\\]/.test(text.charAt(at + 1))
    // A run of backticks that nothing closes is text as a whole.
    const run = sign === '`' ? runLength(text, at) : 1
    plain += isEscape ? text.charAt(at + 1) : text.slice(at, at + run)
    at += isEscape ? 2 : run
  }
  if (plain !== '') inlines.push({ kind: 'text', text: plain })
  return inlines
}

interface Found {
  readonly inline: Inline
  readonly end: number
}

function codeAt(text: string, at: number, unclosed: Set<string>): Found | null {
  if (text.charAt(at) !== '`') return null
  const length = runLength(text, at)
  const sign = '`'.repeat(length)
  const end = closingRun(text, at + length, sign, unclosed)
  if (end < 0) return null
  const inner = text.slice(at + length, end)
  const code = /^ .*\S.* $/s.test(inner) ? inner.slice(1, -1) : inner
  return { inline: { kind: 'code', text: code }, end: end + length }
}

/** A run of exactly that many backticks. */
function closingRun(text: string, from: number, sign: string, unclosed: Set<string>): number {
  if (unclosed.has(sign)) return -1
  for (let at = text.indexOf(sign, from); at >= 0; ) {
    const length = runLength(text, at)
    if (length === sign.length) return at
    at = text.indexOf(sign, at + length)
  }
  unclosed.add(sign)
  return -1
}

function runLength(text: string, at: number): number {
  let end = at
  while (text.charAt(end) === '`') end++
  return end - at
}

function linkAt(text: string, at: number, depth: number): Found | null {
  const sign = text.charAt(at)
  if (sign === '[') {
    const near = text.slice(at, at + maxLinkUnits)
    const named = /^\[([^[\]]+)\]\((https?:\/\/[^\s()]+(?:\([^\s()]*\)[^\s()]*)*)\)/.exec(near)
    if (named === null) return null
    const [whole, name = '', href = ''] = named
    return { inline: { kind: 'link', href, inlines: readInlines(name, depth + 1) }, end: at + whole.length }
  }
  if (sign !== 'h' || wordCharacter.test(text.charAt(at - 1))) return null
  if (!text.startsWith('http://', at) && !text.startsWith('https://', at)) return null
  const near = text.slice(at, at + maxLinkUnits)
  const href = withoutEnd(/^https?:\/\/[^\s<>"'`|\\^{}[\]*]+/.exec(near)?.[0] ?? '')
  if (href === '') return null
  return { inline: { kind: 'link', href, inlines: [{ kind: 'text', text: href }] }, end: at + href.length }
}

/** The sentence's own signs behind an address are none of it. */
function withoutEnd(address: string): string {
  let end = address.length
  for (;;) {
    const last = address.charAt(end - 1)
    const isUnopened = last === ')' && !address.slice(0, end).includes('(')
    if (!isUnopened && !'.,;:!?…'.includes(last)) return address.slice(0, end)
    end--
  }
}

function wrappedAt(text: string, at: number, depth: number, unclosed: Set<string>): Found | null {
  for (const [sign, kind] of delimiters) {
    if (!text.startsWith(sign, at)) continue
    // `2*3`, `snake_case`, `**/*.ts` and `__init__` are no emphasis.
    const inside = text.charAt(at + sign.length)
    const opens = inside !== '' && !/[\s/]/u.test(inside) && !inside.startsWith(sign.charAt(0))
    if (!opens || wordCharacter.test(text.charAt(at - 1)) || unclosed.has(sign)) return null
    const end = closingSign(text, at + sign.length, sign)
    if (end < 0) {
      unclosed.add(sign)
      return null
    }
    const inner = text.slice(at + sign.length, end)
    if (sign === '__' && /^\w+$/.test(inner)) return null
    return { inline: { kind, inlines: readInlines(inner, depth + 1) }, end: end + sign.length }
  }
  return null
}

function closingSign(text: string, from: number, sign: string): number {
  let ticks = 0
  let counted = from
  for (let at = text.indexOf(sign, from + 1); at >= 0; at = text.indexOf(sign, at + 1)) {
    for (; counted < at; counted++) if (text.charAt(counted) === '`') ticks++
    const before = text.charAt(at - 1)
    const behind = text.charAt(at + sign.length)
    const isWhole = before !== sign.charAt(0) && behind !== sign.charAt(0)
    const isInCode = ticks % 2 === 1
    if (isWhole && !isInCode && !/[\s\\]/u.test(before) && !wordCharacter.test(behind)) return at
  }
  return -1
}
