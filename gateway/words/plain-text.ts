/** Text of transcripts, hosts and errors made safe to be shown: no control sequences, nothing that reorders. */

/** Bidirectional overrides and isolates reorder what stands around them; the word joiner is the engine's own mark. */
const reordering = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\u2060\ufeff]/gu
/**
 * Control strings (titles, links) to their end where they have one, control sequences (colours, movements), other escapes.
 * A string's body holds no character that begins another, so that text made to be slow is read once only.
 */
const escapes =
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g
const controls = /\p{Cc}+/gu
const loneSurrogates = /\p{Surrogate}/gu

/** White space becomes single spaces, line ends included; escape sequences and other control characters go. */
export function plainText(text: string): string {
  return text
    .replaceAll(/[\t\n\r\u0085\u2028\u2029]+/g, ' ')
    .replaceAll(escapes, '')
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
      line
        .replaceAll('\t', '  ')
        .replaceAll(escapes, '')
        .replaceAll(controls, '')
        .replaceAll(reordering, '')
        .replaceAll(loneSurrogates, '\ufffd')
        .trimEnd(),
    )
}
