/** The `scopePaths` filter: sessions in one of these folders or below, by the path rules of this machine [request.paths-of-host]. */
import { cwdKey } from '../index/cwd-key.ts'
import type { SqlValue } from '../index/driver/driver.ts'

export interface SqlCondition {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** @returns a condition over the session `s`. Paths this machine cannot place match nothing: they never widen a search. */
export function scopePathsCondition(paths: readonly string[], platform: NodeJS.Platform): SqlCondition {
  const keys = new Set<string>()
  for (const path of paths) {
    const key = cwdKey(path, platform)
    if (key !== null) keys.add(key)
  }
  if (keys.size === 0) return { sql: '0', values: [] }
  const each = [...keys].map((key) => folderCondition(key))
  return {
    sql: `(${each.map((condition) => condition.sql).join(' OR ')})`,
    values: each.flatMap((condition) => condition.values),
  }
}

/** The half-open range from `key/` to `key0` (`0` follows `/`) is all that lies below, and `/work/app-other` is not in it. */
function folderCondition(key: string): SqlCondition {
  const stem = key.endsWith('/') ? key.slice(0, -1) : key
  return {
    sql: '(s.cwd_key = ? OR (s.cwd_key >= ? AND s.cwd_key < ?))',
    values: [key, `${stem}/`, `${stem}0`],
  }
}
