/**
 * The floor under any indexer that uses FTS5, as a program: the texts of user and assistant messages found below the
 * folder given, in rows as they come, into one contentless table. Prints megabytes of text a second, reading not counted.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadSqlDriver } from '../host-agent/index/driver/load-driver.ts'

const enoughBytes = 40_000_000
const rowUnits = 3072
const transactionRows = 10_000

/** Strings of a record, wherever they stand: what an indexer would call text is a part of them. */
function* textsOf(value: unknown): Generator<string, void, undefined> {
  if (typeof value === 'string') {
    if (value.includes(' ')) yield value.slice(0, rowUnits)
  } else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) yield* textsOf(member)
}

function collect(root: string): string[] {
  const texts: string[] = []
  let bytes = 0
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.jsonl')) continue
    for (const line of readFileSync(join(entry.parentPath, entry.name), 'utf8').split('\n')) {
      if (line === '') continue
      for (const text of textsOf(JSON.parse(line))) {
        texts.push(text)
        bytes += Buffer.byteLength(text)
        if (bytes > enoughBytes) return texts
      }
    }
  }
  return texts
}

const texts = collect(process.argv[2] ?? '')
const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
const path = join(tmpdir(), `trawl-bench-bare-${process.pid}.sqlite`)
try {
  using db = loadSqlDriver().open(path, { readOnly: false })
  db.exec(`PRAGMA page_size = 32768; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE VIRTUAL TABLE bare USING fts5 (text, content = '', tokenize = 'unicode61 remove_diacritics 2')`)
  const insert = db.prepare('INSERT INTO bare (rowid, text) VALUES (CAST(? AS INTEGER), ?)')
  const startedMs = performance.now()
  for (let first = 0; first < texts.length; first += transactionRows)
    db.transaction(() => {
      for (const [at, text] of texts.slice(first, first + transactionRows).entries())
        insert.run(first + at, text)
    })
  process.stdout.write(`${bytes / 1e3 / (performance.now() - startedMs)}\n`)
} finally {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
}
