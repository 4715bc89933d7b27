// Bundles the two commands into dist/: one file each plus shared chunks, so that they start fast.
// Native and process-bound packages stay outside the bundle and are loaded from node_modules.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { build as buildPage } from 'vite'

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'))
rmSync(new URL('./dist', import.meta.url), { recursive: true, force: true })

const banner = {
  js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
}

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: {
    trawl: 'gateway/main.ts',
    'trawl-agent': 'host-agent/agent-start.ts',
    'indexing-worker': 'host-agent/indexing/worker.ts',
    demo: 'demo/demo.ts',
    'demo-ssh-server': 'demo/ssh2-server.ts',
  },
  outdir: 'dist',
  bundle: true,
  // Half the text to compile, twice for each agent that starts; names stay as they are.
  minifyWhitespace: true,
  minifySyntax: true,
  splitting: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  external: ['better-sqlite3', 'ssh2', 'pino', 'fastify'],
  define: { TRAWL_VERSION: JSON.stringify(version) },
  banner,
  sourcemap: true,
  logLevel: 'warning',
})

// The agent once more, as the one file that a gateway pushes to SSH hosts; it starts itself as its own worker.
await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ['host-agent/agent-bundle.ts'],
  outfile: 'dist/agent-bundle/trawl-agent.mjs',
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  external: ['better-sqlite3'],
  define: { TRAWL_VERSION: JSON.stringify(version), TRAWL_INDEXING_WORKER: '"./trawl-agent.mjs"' },
  banner,
  logLevel: 'warning',
})

// The manual page, as the command itself prints it.
const page = execFileSync(process.execPath, ['dist/trawl.js', 'man'], { cwd: import.meta.dirname })
mkdirSync(new URL('./dist/man', import.meta.url))
writeFileSync(new URL('./dist/man/trawl.1', import.meta.url), page)

// The library `trawl/client`: for Node, and for browsers without anything of Node's.
const client = {
  absWorkingDir: import.meta.dirname,
  outdir: 'dist/client',
  bundle: true,
  format: 'esm',
  logLevel: 'warning',
}
await Promise.all([
  build({
    ...client,
    entryPoints: ['gateway/client/node.ts'],
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
  }),
  build({ ...client, entryPoints: ['gateway/client/browser.ts'], platform: 'browser', target: 'es2022' }),
])
// Its types, as they stand in the sources; whether they are right is for `npm run check` to say.
execFileSync(
  process.execPath,
  ['node_modules/typescript/bin/tsc', '-p', 'gateway/client', '--noCheck', '--noEmit', 'false'],
  { cwd: import.meta.dirname, stdio: 'inherit' },
)

// The page that the gateway serves.
await buildPage({
  configFile: false,
  root: `${import.meta.dirname}/gateway/web`,
  base: '/',
  build: { outDir: '../../dist/web', emptyOutDir: true, modulePreload: false, assetsInlineLimit: 0 },
  logLevel: 'warn',
})
const assets = new URL('./dist/web/assets/', import.meta.url)
const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'))
const scriptBytes = scripts.reduce(
  (sum, name) => sum + gzipSync(readFileSync(new URL(name, assets))).length,
  0,
)
console.log(`page: ${(scriptBytes / 1024).toFixed(1)} KiB of script, compressed`)
