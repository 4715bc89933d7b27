/** Makes one runnable file of a TypeScript program of the tests, for the processes that the tests start. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Looked for, since the benchmark bundles this file into another folder. */
export const repositoryRoot = rootAbove(fileURLToPath(import.meta.url))

function rootAbove(path: string): string {
  const folder = dirname(path)
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(folder)
}

export interface BundledProgram extends AsyncDisposable {
  readonly path: string
}

/** @param entry from the root of the repository. */
export async function bundleProgram(entry: string): Promise<BundledProgram> {
  const dir = await mkdtemp(join(tmpdir(), 'trawl-program-'))
  const path = join(dir, 'program.mjs')
  await build({
    absWorkingDir: repositoryRoot,
    entryPoints: [entry],
    outfile: path,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    logLevel: 'error',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  })
  return { path, [Symbol.asyncDispose]: async () => await rm(dir, { recursive: true, force: true }) }
}
