/** A database that a home has already, opened once more to be written to. */
import { join } from 'node:path'
import type { SqlDatabase } from '../../host-agent/index/driver/driver.ts'
import { loadSqlDriver } from '../../host-agent/index/driver/load-driver.ts'
import type { AgentHome } from './agent-home.ts'

export function databaseIn(home: AgentHome, relativePath: string): SqlDatabase {
  const db = loadSqlDriver().open(join(home.dir, relativePath), { readOnly: false })
  db.exec('PRAGMA synchronous = OFF')
  return db
}
