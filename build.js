// Bundles the two commands into dist/: one file each plus shared chunks, so that they start fast.
// Native and process-bound packages stay outside the bundle and are loaded from node_modules.
import { readFileSync, rmSync } from 'node:fs'
import { build } from 'esbuild'

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'))
rmSync(new URL('./dist', import.meta.url), { recursive: true, force: true })

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: {
    trawl: 'gateway/main.ts',
    'trawl-agent': 'host-agent/main.ts',
    'indexing-worker': 'host-agent/indexing/worker.ts',
    demo: 'demo/demo.ts',
    'demo-ssh-server': 'demo/ssh2-server.ts',
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  external: ['better-sqlite3', 'ssh2', 'pino', 'fastify'],
  define: { TRAWL_VERSION: JSON.stringify(version) },
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  sourcemap: true,
  logLevel: 'warning',
})
