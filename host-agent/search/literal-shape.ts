/** Tells a query that names something exactly (code, a path, an error, a ticket) from one that describes it. */

const literalShapes: readonly RegExp[] = [
  /[\p{Ll}\d]\p{Lu}/u, // camelCase
  /^\P{L}*\p{Lu}[\p{Lu}\d]*_[\p{Lu}\d_]+/u, // SCREAMING_SNAKE
  /[\p{L}\d][._][\p{L}\d]/u, // a.b, a_b, file.ext, host names
  /[\p{L}\d]@[\p{L}\d]/u, // addresses, package@version
  /(?:^|[\p{L}\d.~])[/\\][\p{L}\d.]/u, // paths
  /^#\d+/, // #123
  /^\P{L}*\p{L}+-\d+/u, // TICKET-12
  /\p{L}+-(?=[\p{L}]*\d)[\p{L}\d]+/u, // ids such as bd-q3fy
  /[()[\]{}<>=;|&$`]/, // code punctuation
  /::|->|=>/, // scope, arrows
  /^--?\p{L}/u, // flags
  /(?:Error|Exception)\b|^(?:panic|segfault|traceback)\b/i, // error words
  /^E[A-Z]{3,}\d*\b/, // ENOENT
]

/** @param word one word of a query, as written. */
export function hasLiteralShape(word: string): boolean {
  return literalShapes.some((shape) => shape.test(word))
}
