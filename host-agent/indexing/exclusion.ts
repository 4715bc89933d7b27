/**
 * What an account's owner does not want searched: `[index] exclude`. A path covers itself and all that lies below it; `*`
 * stands for any characters of one name. What has no path on this machine's terms is never excluded.
 */
export interface Exclusion {
  /** The patterns as JSON text, to be kept and compared; '' where there are none. */
  readonly text: string
  /** @param path absolute: a transcript, or the folder a session worked in. */
  covers(path: string | null): boolean
}

/** @param patterns absolute paths. */
export function createExclusion(patterns: readonly string[], platform: NodeJS.Platform): Exclusion {
  const expressions = patterns.map((pattern) => expressionOf(pattern, platform))
  return {
    text: patterns.length === 0 ? '' : JSON.stringify(patterns.toSorted()),
    covers(path) {
      if (path === null || expressions.length === 0) return false
      const text = comparable(path, platform)
      return expressions.some((expression) => expression.test(text))
    },
  }
}

/** @param text as `Exclusion.text`. */
export function exclusionOf(text: string, platform: NodeJS.Platform): Exclusion {
  const patterns: unknown = text === '' ? [] : JSON.parse(text)
  if (!Array.isArray(patterns)) throw new Error('the index holds no list of excluded paths')
  return createExclusion(patterns.map(String), platform)
}

function expressionOf(pattern: string, platform: NodeJS.Platform): RegExp {
  const names = comparable(pattern, platform)
    .replace(/\/+$/, '')
    .split('*')
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  // These systems do not tell upper case from lower case in names, and a letter must not open what was shut.
  const flags = platform === 'win32' || platform === 'darwin' ? 'iu' : 'u'
  return new RegExp(`^${names.join('[^/]*')}(?:/|$)`, flags)
}

function comparable(path: string, platform: NodeJS.Platform): string {
  return platform === 'win32' ? path.replaceAll('\\', '/') : path
}
