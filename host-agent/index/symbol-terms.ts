/**
 * Emoji and dingbats as terms. `unicode61` drops some of them as punctuation and takes others (those younger than its
 * table) for letters of the word they touch, so each is written as one private-use character, which it takes for a word.
 * The set is fixed here and not asked of the runtime, whose Unicode grows: an index outlives a runtime.
 */

/** In the basic plane: what people write as emoji (Extended_Pictographic), and the dingbats 2600–27BF but for their digits. */
const basicSymbols =
  '\\u203c\\u2049\\u2194-\\u2199\\u21a9\\u21aa\\u231a\\u231b\\u2328\\u23cf\\u23e9-\\u23fa\\u24c2\\u25aa\\u25ab\\u25b6\\u25c0' +
  '\\u25fb-\\u25fe\\u2600-\\u2775\\u2794-\\u27bf\\u2934\\u2935\\u2b05-\\u2b07\\u2b1b\\u2b1c\\u2b50\\u2b55\\u3030\\u303d\\u3297\\u3299'
const firstAstral = 0x1f000
const lastAstral = 0x1faff
/** Skin tones colour the sign before them: 👍🏽 is found as 👍, as é is as e. */
const firstTone = 0x1f3fb
const lastTone = 0x1f3ff

/** UTF-16 units that may begin a symbol, as the inside of a character class: the last are the high halves of U+1F000–U+1FBFF. */
export const symbolUnits = `${basicSymbols}\\ud83c-\\ud83e`
const basicSymbol = new RegExp(`[${basicSymbols}]`)
const symbolCharacter = new RegExp(`[${basicSymbols}\\u{1f000}-\\u{1faff}]`, 'gu')

export function isSymbol(codePoint: number): boolean {
  if (codePoint >= firstAstral) return codePoint <= lastAstral
  return codePoint >= 0x2000 && codePoint <= 0x3299 && basicSymbol.test(String.fromCodePoint(codePoint))
}

/** @param codePoint a symbol's. @returns its term; null for a skin tone, which has none. */
export function symbolTerm(codePoint: number): string | null {
  if (codePoint >= firstTone && codePoint <= lastTone) return null
  // Planes 15 and 16, one for each plane the symbols come from.
  const plane = codePoint > 0xffff ? 0x100000 : 0xf0000
  return String.fromCodePoint(plane + (codePoint & 0xffff))
}

/** Each symbol as its term, apart from what it touches. */
export function symbolsAsTerms(text: string): string {
  return text.replace(symbolCharacter, (symbol) => ` ${symbolTerm(symbol.codePointAt(0) ?? 0) ?? ''} `)
}
