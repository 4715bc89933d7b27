// Bundles the two commands into dist/: one file each plus shared chunks, so that they start fast.
// Native and process-bound packages stay outside the bundle and are loaded from node_modules.
import { readFileSync, rmSync } from 'node:fs'
import { build } from 'esbuild'

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
