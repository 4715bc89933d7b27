/** Search hits for a terminal (two lines each) and for a pipe (one line each, tabs between the columns). */
import { parseHostId } from '../../protocol/host-id.ts'
import type { Hit } from '../../protocol/session-search/hit.ts'
import { plainText } from '../words/plain-text.ts'
import { sayAgo } from '../words/say-time.ts'
import type { Style } from './style.ts'
import type { TextMeasure } from './text-width.ts'

/** Below this width the place and time of a hit get a line of their own. */
const oneLineColumns = 60
/** A directory cut shorter than this says nothing. */
const shortestDirectoryColumns = 8
const untitled = '(no title)'

export interface TerminalLayout {
  readonly columns: number
  readonly nowMs: number
  readonly style: Style
  readonly measure: TextMeasure
  /** What a hit that names no host came from: the host that was asked. */
  readonly askedHostId: string
}

/** One line a hit: host, agent, session id, time, title, snippet. Matches are marked `[` and `]`. */
export function renderHitForPipe(hit: Hit, askedHostId: string): string {
  const columns = [
    hit.executionHostId ?? askedHostId,
    hit.agent,
    hit.sessionId,
    hit.updatedAt ?? '',
    hit.title,
    snippetParts(hit)
      .map(({ text, isMatch }) => (isMatch ? `[${text}]` : text))
      .join(''),
  ]
  return `${columns.map(plainText).join('\t')}\n`
}

export function renderHitForTerminal(hit: Hit, layout: TerminalLayout): string {
  const { columns, measure, style } = layout
  const title = plainText(hit.title) || untitled
  const lines: string[] = []
  if (columns < oneLineColumns) {
    lines.push(style.bold(measure.cutEnd(title, columns)))
    lines.push(`  ${style.dim(place(hit, columns - 2, layout))}`)
  } else {
    const placed = place(hit, Math.floor(columns * 0.6), layout)
    const room = columns - measure.width(placed) - 2
    const shown = measure.cutEnd(title, room)
    lines.push(`${style.bold(shown)}${' '.repeat(room - measure.width(shown) + 2)}${style.dim(placed)}`)
  }
  const evidence = renderEvidence(hit, layout)
  if (evidence !== '') lines.push(evidence)
  return `${lines.join('\n')}\n`
}

/**
 * `devbox · claude · ~/src/gateway (main) · 2 h ago`. What is too long loses the start of its directory, then the
 * branch, then the directory; host, agent and time stay.
 */
function place(hit: Hit, columns: number, { measure, nowMs, askedHostId }: TerminalLayout): string {
  const updatedMs = Date.parse(hit.updatedAt ?? '')
  const before = [shortHostName(hit.executionHostId ?? askedHostId), plainText(hit.agent)]
  const after = Number.isNaN(updatedMs) ? [] : [sayAgo(updatedMs, nowMs)]
  const join = (...middle: string[]) =>
    [...before, ...middle.filter((part) => part !== ''), ...after].join(' · ')
  const directory = hit.cwd === null ? '' : shortDirectory(plainText(hit.cwd))
  const branch = hit.branch === null ? '' : `(${plainText(hit.branch)})`
  for (const kept of [branch, '']) {
    const whole = join(`${directory} ${kept}`.trim())
    const room = measure.width(directory) - Math.max(measure.width(whole) - columns, 0)
    if (room >= Math.min(measure.width(directory), shortestDirectoryColumns))
      return join(`${measure.cutStart(directory, room)} ${kept}`.trim())
  }
  return measure.cutEnd(join(), columns)
}

/** The remainder of the id, decoded; an id that is none is shown as it is. */
function shortHostName(hostId: string): string {
  const parsed = parseHostId(hostId)
  if (parsed?.kind === 'ssh') return plainText(parsed.target)
  if (parsed?.kind === 'runtime') return plainText(parsed.environmentId)
  return plainText(hostId)
}

/** The directory lies on the execution host, whose home this machine does not know: the usual places are told by form. */
function shortDirectory(cwd: string): string {
  return cwd.replace(/^(?:\/home\/[^/]+|\/Users\/[^/]+|\/root|[A-Za-z]:\\Users\\[^\\]+)(?=$|[/\\])/, '~')
}

interface SnippetPart {
  readonly text: string
  readonly isMatch: boolean
}

/** Cuts the snippet at its `[[` and `]]` marks (contract, "Evidence and exposure"). */
function snippetParts(hit: Hit): SnippetPart[] {
  return partsOf(hit.evidence?.snippet ?? '')
}

function partsOf(snippet: string): SnippetPart[] {
  const parts: SnippetPart[] = []
  for (const [index, piece] of snippet.split('[[').entries()) {
    const end = index === 0 ? -1 : piece.indexOf(']]')
    if (end < 0) parts.push({ text: index === 0 ? piece : `[[${piece}`, isMatch: false })
    else
      parts.push({ text: piece.slice(0, end), isMatch: true }, { text: piece.slice(end + 2), isMatch: false })
  }
  return parts.filter(({ text }) => text !== '')
}

/** What matched, in lower case and each once, to be found again in the transcript. */
export function matchedTextsOf({ evidence }: Hit): string[] {
  const snippets =
    evidence === null ? [] : [evidence.snippet, ...(evidence.further ?? []).map((one) => one.snippet)]
  const texts = snippets.flatMap((snippet) =>
    partsOf(snippet).flatMap(({ text, isMatch }) => (isMatch ? [plainText(text).toLowerCase()] : [])),
  )
  return [...new Set(texts)].filter((text) => text !== '')
}

function renderEvidence(hit: Hit, { columns, measure, style }: TerminalLayout): string {
  if (hit.evidence === null) return ''
  const role = hit.evidence.role
  const room = columns - 4 - role.length
  if (room < 10) return ''
  const shown = fitParts(cleanParts(hit), room, style.isColour ? 0 : 2, measure)
  const used = shown.reduce((total, part) => total + partWidth(part, style.isColour ? 0 : 2, measure), 0)
  const text = shown
    .map((part) => (!part.isMatch ? part.text : style.isColour ? style.bold(part.text) : `[${part.text}]`))
    .join('')
  return `  ${text}${' '.repeat(Math.max(room - used, 0) + 2)}${style.dim(role)}`
}

/** `plainText` trims, so the space at the edge of a part is put back. */
function cleanParts(hit: Hit): SnippetPart[] {
  return snippetParts(hit).map(({ text, isMatch }) => {
    const clean = plainText(text)
    const before = /^\s/.test(text) && clean !== '' ? ' ' : ''
    const after = /\s$/.test(text) ? ' ' : ''
    return { text: `${before}${clean}${after}`, isMatch }
  })
}

function partWidth(part: SnippetPart, markColumns: number, measure: TextMeasure): number {
  return measure.width(part.text) + (part.isMatch ? markColumns : 0)
}

/** Cuts to `room` columns; text before the first match gives way, so that the match is seen. */
function fitParts(
  parts: readonly SnippetPart[],
  room: number,
  markColumns: number,
  measure: TextMeasure,
): SnippetPart[] {
  const [first, ...others] = parts
  if (first === undefined) return []
  const total = parts.reduce((sum, part) => sum + partWidth(part, markColumns, measure), 0)
  const lead =
    total > room && !first.isMatch && others.length > 0
      ? { ...first, text: measure.cutStart(first.text, Math.floor(room / 3)) }
      : first
  const shown: SnippetPart[] = []
  let left = room
  for (const part of [lead, ...others]) {
    const taken = partWidth(part, markColumns, measure)
    if (taken <= left) {
      shown.push(part)
      left -= taken
      continue
    }
    const cut = measure.cutEnd(part.text, left - (part.isMatch ? markColumns : 0))
    if (cut !== '') shown.push({ ...part, text: cut })
    break
  }
  return shown
}
