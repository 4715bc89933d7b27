/** The plain texts at the top of a YAML file: `name: Fix the build`, quoted or folded over lines. No more of YAML. */

/** Keys at the margin whose value is one text; everything else is passed over. */
export function topLevelYaml(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  const lines = text.split(/\r?\n/)
  for (let at = 0; at < lines.length; at++) {
    const [, key, value] = /^([A-Za-z_][\w-]*):(?:\s+(.*))?$/.exec(lines[at] ?? '') ?? []
    if (key === undefined) continue
    const plain = blockMark.test(value ?? '') ? indentedAfter(lines, at) : unquoted((value ?? '').trim())
    if (plain !== '') values.set(key, plain)
  }
  return values
}

const blockMark = /^[|>][+-]?\d?\s*$/

function indentedAfter(lines: readonly string[], at: number): string {
  const end = lines.findIndex((line, index) => index > at && /^\S/.test(line))
  return lines
    .slice(at + 1, end === -1 ? undefined : end)
    .map((line) => line.trim())
    .join('\n')
    .trim()
}

function unquoted(value: string): string {
  if (value.startsWith("'") && value.endsWith("'") && value.length > 1)
    return value.slice(1, -1).replaceAll("''", "'")
  if (value.startsWith('"') && value.endsWith('"') && value.length > 1) return parsedText(value)
  if (/^(?:[[{&*!]|null$|~$)/.test(value)) return ''
  return value.replace(/\s+#.*$/, '')
}

function parsedText(quoted: string): string {
  try {
    const value: unknown = JSON.parse(quoted)
    return typeof value === 'string' ? value : ''
  } catch {
    return quoted.slice(1, -1)
  }
}
