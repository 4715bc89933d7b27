/**
 * What agents write, as blocks: paragraphs, headings, lists, quotes, tables and fenced code. Lines stay as they were
 * broken, and HTML stays text. What is no Markdown is a paragraph. Takes time in proportion to the text.
 */
import { type Inline, readInlines } from './markdown-inlines.ts'

export type Block =
  | { readonly kind: 'paragraph'; readonly inlines: readonly Inline[] }
  | { readonly kind: 'heading'; readonly level: number; readonly inlines: readonly Inline[] }
  /** `language` as written behind the fence, in lower case; empty for none. */
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'list'; readonly start: number | null; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  /** The first row is the head. */
  | { readonly kind: 'table'; readonly rows: readonly (readonly (readonly Inline[])[])[] }
  | { readonly kind: 'rule' }

const maxDepth = 6
/** A longer line is nothing but text. */
const maxSyntaxUnits = 4000

const fenceShape = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/
const headingShape = /^ {0,3}(#{1,6})[ \t]+(.*)$/
const ruleShape = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/
const itemShape = /^( {0,3}(?:[-*+]|(\d{1,9})[.)])(?: {1,4}|\t|$))(.*)$/
const quoteShape = /^ {0,3}> ?(.*)$/
const tableRuleShape = /^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?$/

export function readBlocks(text: string): Block[] {
  return blocksOf(text.split('\n'), 0)
}

interface Read {
  readonly block: Block
  /** The first line behind it. */
  readonly next: number
}

function blocksOf(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = []
  let paragraph: string[] = []
  const endParagraph = () => {
    const text = paragraph.join('\n')
    paragraph = []
    if (text.trim() !== '') blocks.push({ kind: 'paragraph', inlines: readInlines(text) })
  }
  for (let at = 0; at < lines.length; ) {
    const read = (lines[at] ?? '').trim() === '' ? null : blockAt(lines, at, depth)
    if (read !== null) {
      endParagraph()
      blocks.push(read.block)
      at = read.next
      continue
    }
    const line = lines[at] ?? ''
    if (line.trim() === '') endParagraph()
    else paragraph.push(line)
    at++
  }
  endParagraph()
  return blocks
}

function blockAt(lines: readonly string[], at: number, depth: number): Read | null {
  const line = lines[at] ?? ''
  if (line.length > maxSyntaxUnits) return null
  const fenced = fencedAt(lines, at)
  if (fenced !== null) return fenced
  const heading = headingShape.exec(line)
  if (heading !== null) {
    const [, signs = '', text = ''] = heading
    return {
      block: {
        kind: 'heading',
        level: signs.length,
        inlines: readInlines(text.trimEnd().replace(/ #+$/, '')),
      },
      next: at + 1,
    }
  }
  if (ruleShape.test(line)) return { block: { kind: 'rule' }, next: at + 1 }
  return (
    tableAt(lines, at) ?? (depth >= maxDepth ? null : (quoteAt(lines, at, depth) ?? listAt(lines, at, depth)))
  )
}

/** A fence that nothing closes holds all that follows, as it does while an agent still writes. */
function fencedAt(lines: readonly string[], at: number): Read | null {
  const [, fence = '', language = ''] = fenceShape.exec(lines[at] ?? '') ?? []
  if (fence === '') return null
  const closing = new RegExp(`^ {0,3}${fence.charAt(0)}{${fence.length},}[ \\t]*$`)
  let end = at + 1
  while (end < lines.length && !closing.test(lines[end] ?? '')) end++
  const indent = /^ */.exec(lines[at] ?? '')?.[0].length ?? 0
  const text = lines.slice(at + 1, end).map((each) => withoutIndent(each, indent))
  return { block: { kind: 'code', language: language.toLowerCase(), text: text.join('\n') }, next: end + 1 }
}

function tableAt(lines: readonly string[], at: number): Read | null {
  const [head = '', rule = ''] = [lines[at], lines[at + 1]]
  if (!head.includes('|') || rule.length > maxSyntaxUnits || !tableRuleShape.test(rule)) return null
  const rows = [cellsOf(head)]
  let next = at + 2
  for (; next < lines.length; next++) {
    const line = lines[next] ?? ''
    if (!line.includes('|') || line.length > maxSyntaxUnits) break
    rows.push(cellsOf(line))
  }
  return { block: { kind: 'table', rows }, next }
}

function cellsOf(line: string): Inline[][] {
  const bare = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  return bare.split(/(?<!\\)\|/).map((cell) => readInlines(cell.trim().replaceAll('\\|', '|')))
}

function quoteAt(lines: readonly string[], at: number, depth: number): Read | null {
  const inner: string[] = []
  let next = at
  for (; next < lines.length; next++) {
    const found = quoteShape.exec(lines[next] ?? '')
    if (found === null) break
    inner.push(found[1] ?? '')
  }
  return inner.length === 0 ? null : { block: { kind: 'quote', blocks: blocksOf(inner, depth + 1) }, next }
}

function listAt(lines: readonly string[], at: number, depth: number): Read | null {
  const first = itemAt(lines[at])
  if (first === null) return null
  const items: Block[][] = []
  let next = at
  for (let item: Item | null = first; item !== null && item.isOrdered === first.isOrdered; ) {
    const inner = [item.text]
    for (next++; next < lines.length; next++) {
      const line = lines[next] ?? ''
      if (line.trim() === '') {
        if (!goesOn(lines, next, item.leastIndent)) break
        inner.push('')
      } else if (indentOf(line) >= item.leastIndent) inner.push(withoutIndent(line, item.indent))
      else if (itemAt(line) !== null || inner.at(-1) === '' || startsBlock(line)) break
      else inner.push(line.trimStart())
    }
    items.push(blocksOf(inner, depth + 1))
    // One blank line may stand between the items.
    if ((lines[next] ?? '').trim() === '' && itemAt(lines[next + 1]) !== null) next++
    item = itemAt(lines[next])
  }
  return { block: { kind: 'list', start: first.start, items }, next }
}

interface Item {
  readonly isOrdered: boolean
  readonly start: number | null
  readonly text: string
  /** What its further lines are indented by. */
  readonly indent: number
  /** Many write less than the sign is wide. */
  readonly leastIndent: number
}

function itemAt(line: string | undefined): Item | null {
  if (line === undefined || line.length > maxSyntaxUnits || ruleShape.test(line)) return null
  const found = itemShape.exec(line)
  if (found === null) return null
  const [, sign = '', number, text = ''] = found
  const start = number === undefined ? null : Number(number)
  const leastIndent = indentOf(sign) + 2
  return { isOrdered: start !== null, start, text, indent: sign.trimEnd().length + 1, leastIndent }
}

/** Whether behind the blank lines the item has more. */
function goesOn(lines: readonly string[], at: number, indent: number): boolean {
  const next = lines[at + 1] ?? ''
  return next.trim() !== '' && indentOf(next) >= indent
}

function startsBlock(line: string): boolean {
  return fenceShape.test(line) || headingShape.test(line) || ruleShape.test(line) || quoteShape.test(line)
}

function indentOf(line: string): number {
  return /^[ \t]*/.exec(line)?.[0].replaceAll('\t', '    ').length ?? 0
}

function withoutIndent(line: string, indent: number): string {
  return line.startsWith('\t') ? line.slice(1) : line.replace(new RegExp(`^ {0,${indent}}`), '')
}
