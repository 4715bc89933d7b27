/** Text of transcripts, hosts and errors made safe for a terminal: no control sequences, nothing that reorders. */
import { stripVTControlCharacters } from 'node:util'

/** Bidirectional overrides and isolates reorder what stands around them; the word joiner is the engine's own mark. */
const reordering = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\u2060\ufeff]/gu
const controls = /\p{Cc}+/gu
const loneSurrogates = /\p{Surrogate}/gu

/** White space becomes single spaces, line ends included; escape sequences and other control characters go. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text.replaceAll(/[\t\n\r\u0085\u2028\u2029]+/g, ' '))
    .replaceAll(controls, '')
    .replaceAll(reordering, '')
    .replaceAll(loneSurrogates, '\ufffd')
    .replaceAll(/ {2,}/g, ' ')
    .trim()
}

/** The same for text of many lines, whose line ends and indents stay; a tab becomes two spaces. */
export function plainLines(text: string): string[] {
  return text
    .split(/\r\n|[\n\r\u0085\u2028\u2029]/)
    .map((line) =>
      stripVTControlCharacters(line.replaceAll('\t', '  '))
        .replaceAll(controls, '')
        .replaceAll(reordering, '')
        .replaceAll(loneSurrogates, '\ufffd')
        .trimEnd(),
    )
}
