/** Chooses the SQLite driver of this process: Node's own where there is one, else the installed package. */
import { betterSqlite3Driver, type RequirePackage } from './better-sqlite3.ts'
import type { SqlDriver } from './driver.ts'
import { type BuiltinModules, nodeSqliteDriver } from './node-sqlite.ts'

export interface DriverSources {
  readonly host: BuiltinModules & { readonly version: string }
  readonly requirePackage?: RequirePackage
}

/** @throws Error that says what to do, where this machine has neither. */
export function loadSqlDriver(sources: DriverSources = { host: process }): SqlDriver {
  const builtIn = nodeSqliteDriver(sources.host)
  if (builtIn !== null) return builtIn
  try {
    return betterSqlite3Driver(sources.requirePackage)
  } catch (cause) {
    const why = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause)
    throw new Error(
      `No SQLite for Node ${sources.host.version}: better-sqlite3 could not be loaded (${why}). ` +
        'Use Node 22.13 or newer, which has SQLite built in, or run "npm rebuild better-sqlite3" with a C++ compiler installed.',
      { cause },
    )
  }
}
