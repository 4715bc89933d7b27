/** The text of a message made ready to be shown: its blocks, bounded, and where in them the matches stand. */
import { plainText } from '../text/plain-text.ts'
import { type Block, readBlocks } from './markdown-blocks.ts'
import type { Inline } from './markdown-inlines.ts'
import { type MatchRange, matchRanges, type SoughtPhrase } from './sought-words.ts'

/** Whatever holds text: `text` and `code` inside a line, and a block of code. */
export type Leaf = { readonly text: string }

export interface NumberedRange extends MatchRange {
  /** Which match of the message, from 0. */
  readonly number: number
}

export interface MessageText {
  readonly blocks: readonly Block[]
  readonly marks: ReadonlyMap<Leaf, readonly NumberedRange[]>
  /** Of the whole message, shown or not. */
  readonly matchCount: number
  /** Of what is shown. */
  readonly shownMatches: number
  /** UTF-8 bytes of the whole, where a part of it is not shown. */
  readonly wholeBytes: number | null
}

/** UTF-16 units shown of a long message at first, by who says it. */
const shownUnits = { user: 6_000, assistant: 12_000, tool: 2_000 } as const
/** A little more than that is shown as a whole, rather than a button for a line. */
const toleranceUnits = 1_000
/** A longer text is a log or a file, not Markdown. */
const maxMarkdownUnits = 100_000

export function messageText(
  text: string,
  role: keyof typeof shownUnits,
  phrases: readonly SoughtPhrase[],
  isWhole: boolean,
): MessageText {
  const plain = plainText(text)
  const blocks = role === 'tool' || plain.length > maxMarkdownUnits ? [asWritten(plain)] : readBlocks(plain)
  const all = markLeaves(blocks, phrases)
  const isCut = !isWhole && plain.length > shownUnits[role] + toleranceUnits
  if (!isCut) return { blocks, ...all, shownMatches: all.matchCount, wholeBytes: null }
  const shown = cutBlocks(blocks, { units: shownUnits[role] })
  const { marks, matchCount } = markLeaves(shown, phrases)
  const wholeBytes = new TextEncoder().encode(plain).length
  return { blocks: shown, marks, matchCount: all.matchCount, shownMatches: matchCount, wholeBytes }
}

function asWritten(text: string): Block {
  return { kind: 'paragraph', inlines: [{ kind: 'text', text }] }
}

function markLeaves(blocks: readonly Block[], phrases: readonly SoughtPhrase[]) {
  const marks = new Map<Leaf, readonly NumberedRange[]>()
  let matchCount = 0
  for (const leaf of leavesOf(blocks)) {
    const ranges = matchRanges(leaf.text, phrases).map((range) => ({ ...range, number: matchCount++ }))
    if (ranges.length > 0) marks.set(leaf, ranges)
  }
  return { marks, matchCount }
}

function* leavesOf(blocks: readonly Block[]): Generator<Leaf> {
  for (const block of blocks) {
    if (block.kind === 'code') yield block
    else if (block.kind === 'paragraph' || block.kind === 'heading') yield* leavesIn(block.inlines)
    else if (block.kind === 'quote') yield* leavesOf(block.blocks)
    else if (block.kind === 'list') for (const item of block.items) yield* leavesOf(item)
    else if (block.kind === 'table')
      for (const row of block.rows) for (const cell of row) yield* leavesIn(cell)
  }
}

function* leavesIn(inlines: readonly Inline[]): Generator<Leaf> {
  for (const inline of inlines) {
    if ('text' in inline) yield inline
    else yield* leavesIn(inline.inlines)
  }
}

/** What is left to show, counted down as it is used. */
interface Room {
  units: number
}

function cutBlocks(blocks: readonly Block[], room: Room): Block[] {
  const shown: Block[] = []
  for (const block of blocks) {
    if (room.units <= 0) break
    shown.push(cutBlock(block, room))
  }
  return shown
}

function cutBlock(block: Block, room: Room): Block {
  switch (block.kind) {
    case 'code':
      return { ...block, text: cutText(block.text, room) }
    case 'paragraph':
    case 'heading':
      return { ...block, inlines: cutInlines(block.inlines, room) }
    case 'quote':
      return { ...block, blocks: cutBlocks(block.blocks, room) }
    case 'list':
      return { ...block, items: whileRoom(block.items, room, (item) => cutBlocks(item, room)) }
    case 'table':
      return {
        ...block,
        rows: whileRoom(block.rows, room, (row) => row.map((cell) => cutInlines(cell, room))),
      }
    case 'rule':
      return block
  }
}

function cutInlines(inlines: readonly Inline[], room: Room): Inline[] {
  return whileRoom(inlines, room, (inline) =>
    'text' in inline
      ? { ...inline, text: cutText(inline.text, room) }
      : { ...inline, inlines: cutInlines(inline.inlines, room) },
  )
}

function whileRoom<Part>(parts: readonly Part[], room: Room, cut: (part: Part) => Part): Part[] {
  const shown: Part[] = []
  for (const part of parts) {
    if (room.units <= 0) break
    shown.push(cut(part))
  }
  return shown
}

/** Not in the middle of a character. */
function cutText(text: string, room: Room): string {
  const units = room.units
  room.units -= text.length
  if (text.length <= units) return text
  const last = text.charCodeAt(units - 1)
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units)}…`
}
