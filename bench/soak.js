// `npm run soak`: bundles the soak and its hosts into .trawl-bench/, runs it, and tidies up.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const repositoryRoot = join(import.meta.dirname, '..')
const benchDir = join(repositoryRoot, '.trawl-bench')
const outdir = join(benchDir, `soak-${process.pid}`)
mkdirSync(outdir, { recursive: true })
try {
  await build({
    absWorkingDir: repositoryRoot,
    entryPoints: ['bench/soak.ts', 'bench/soak-hosts.ts'],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    logLevel: 'warning',
  })
  const args = ['--expose-gc', join(outdir, 'soak.mjs'), ...process.argv.slice(2)]
  const { status, error } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (error !== undefined) throw error
  process.exitCode = status ?? 1
} finally {
  rmSync(outdir, { recursive: true, force: true })
  // A benchmark may have its own folder beside.
  if (existsSync(benchDir) && readdirSync(benchDir).length === 0) rmdirSync(benchDir)
}
