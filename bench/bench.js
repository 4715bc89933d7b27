// `npm run bench`: bundles the benchmark's programs into .trawl-bench/, runs the rows asked for, and tidies up.
import { mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const repositoryRoot = join(import.meta.dirname, '..')
const benchDir = join(repositoryRoot, '.trawl-bench')
const workDir = join(benchDir, String(process.pid))
const programsDir = join(workDir, 'programs')
mkdirSync(programsDir, { recursive: true })

await build({
  absWorkingDir: repositoryRoot,
  entryPoints: ['run', 'answering-hosts', 'parse-lines', 'bare-full-text'].map((name) => `bench/${name}.ts`),
  outdir: programsDir,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  sourcemap: 'inline',
  logLevel: 'warning',
})

const { runBenchmark } = await import(pathToFileURL(join(programsDir, 'run.mjs')).href)
const keep = process.argv.includes('--keep')
try {
  process.exitCode = await runBenchmark(process.argv.slice(2), { repositoryRoot, workDir, programsDir })
} finally {
  if (keep) process.stderr.write(`Kept: ${workDir}\n`)
  else {
    rmSync(workDir, { recursive: true, force: true })
    // Another run may have its own folder beside.
    if (readdirSync(benchDir).length === 0) rmdirSync(benchDir)
  }
}
