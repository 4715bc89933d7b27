/**
 * Text of transcripts, hosts and errors as it may stand in the page. Markup is no danger here, for all of it becomes text
 * nodes; what reorders its surroundings, or cannot be seen, is.
 */

// biome-ignore lint/complexity/useRegexLiterals: escape characters are easier to see in a string
const escapeSequences = new RegExp(
  '\u001b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\u0007\u001b]*(?:\u0007|\u001b\\\\)?|[@-Z\\\\-_])|\u009b[0-?]*[ -/]*[@-~]',
  'g',
)
/** Marks that neither show nor reorder more than a neighbour; the word joiner is the engine's own. */
const invisible = /[\u200e\u200f\u061c\u2060\ufeff]/gu
const reordering = /[\u202a-\u202e\u2066-\u2069]/gu
const controls = /[^\P{Cc}\n\t]/gu

const reorderingNames: Readonly<Record<string, string>> = {
  '\u202a': 'LRE',
  '\u202b': 'RLE',
  '\u202c': 'PDF',
  '\u202d': 'LRO',
  '\u202e': 'RLO',
  '\u2066': 'LRI',
  '\u2067': 'RLI',
  '\u2068': 'FSI',
  '\u2069': 'PDI',
}

/** Keeps line ends and tabs. Terminal colours go, other control characters show as pictures, overrides by their names. */
export function plainText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(escapeSequences, '')
    .replace(invisible, '')
    .replace(reordering, (character) => `⟨${reorderingNames[character]}⟩`)
    .replace(controls, pictureOf)
}

/** The same on one line: white space becomes single spaces. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/gu, ' ')
}

/** Unicode has a picture for each control character below U+0020, and for U+007F. */
function pictureOf(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\ufffd'
}
