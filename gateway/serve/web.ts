/**
 * The page at `/`, from what the build put into dist/web. It is the same for everybody and needs no credential; all it
 * shows comes over `/rpc`. Nothing is loaded from elsewhere, and nothing inline is run.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

const securityHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** Reads the page's files once. @param folder where they are; without it, no route is added. */
export function registerPage(app: FastifyInstance, folder: string): void {
  const index = join(folder, 'index.html')
  if (!existsSync(index)) return
  serveFile(app, '/', index, 'no-cache')
  // Their names hold a digest of what is in them.
  for (const name of readdirSync(join(folder, 'assets')))
    serveFile(app, `/assets/${name}`, join(folder, 'assets', name), 'public, max-age=31536000, immutable')
}

function serveFile(app: FastifyInstance, path: string, file: string, cacheControl: string): void {
  const body = readFileSync(file)
  const type = mediaTypes[extname(file)] ?? 'application/octet-stream'
  app.get(path, async (_request, reply) =>
    reply
      .headers({ ...securityHeaders, 'cache-control': cacheControl })
      .type(type)
      .send(body),
  )
}
