/** The wildcard patterns that ssh_config and known_hosts share: `*` any text, `?` one character, `!` not. */

/** Linear in time for any pattern: the only point to go back to is the last `*`. */
export function matchesPattern(text: string, pattern: string): boolean {
  let at = 0
  let inPattern = 0
  let star = -1
  let resumeAt = 0
  while (at < text.length) {
    const symbol = pattern[inPattern]
    if (symbol === '*') {
      star = inPattern++
      resumeAt = at
    } else if (symbol !== undefined && (symbol === '?' || symbol === text[at])) {
      at++
      inPattern++
    } else if (star >= 0) {
      inPattern = star + 1
      at = ++resumeAt
    } else return false
  }
  while (pattern[inPattern] === '*') inPattern++
  return inPattern === pattern.length
}

/** True when one pattern fits and none of those marked with `!` does. */
export function matchesPatternList(text: string, patterns: readonly string[]): boolean {
  let isMatch = false
  for (const pattern of patterns) {
    if (pattern.startsWith('!')) {
      if (matchesPattern(text, pattern.slice(1))) return false
    } else if (matchesPattern(text, pattern)) isMatch = true
  }
  return isMatch
}
