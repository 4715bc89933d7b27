/** The texts of the product's own sources, for what the pages say of them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../bundle.ts'

export interface SourceFile {
  /** From the root of the repository. */
  readonly path: string
  readonly text: string
}

/** @param folders from the root of the repository; tests are left out. */
export function sourceFiles(folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|tsx|js)$/.test(name) && !name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name}`)
      .map((path) => ({ path, text: readFileSync(join(repositoryRoot, path), 'utf8') })),
  )
}
