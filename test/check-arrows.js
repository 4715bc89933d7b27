// The arrows of the house: protocol knows nobody, gateway and host-agent know protocol and never each other,
// and inside a room imports go one way only. Fails on an arrow that runs the other way, and on a circle.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Inside a room, a file imports from its own level or from one further up in its list. */
const levels = {
  protocol: [[/clock|host-id/], [/./]],
  'host-agent': [
    [/^transcripts\//],
    [/^index\//],
    [/^indexing\//],
    [/^search\//],
    [/^agent\.ts$/],
    [/^serve\//],
    [/^(main|agent-[a-z-]+)\.ts$|^command\//],
  ],
  gateway: [
    // Words for people and models, wherever they read them; know nothing but the protocol.
    [/^words\//],
    // The library, in browsers too: knows nothing but the protocol.
    [/^client\//],
    // Runs in a browser: knows nothing of the gateway but what it says.
    [/^web\//],
    [/^(refusal|nearest-word)\.ts$/],
    [/^access\//],
    [/^(config(-[a-z]+)?|data-dir|log(-[a-z-]+)?)\.ts$/],
    [/^hosts\//],
    [/^search\//],
    [/^(gateway|list-hosts|hosts-admin|leave-pairing|device-methods)\.ts$/],
    [/^mcp\//],
    [/^serve\//],
    [/^cli\//],
    [/^(main|run-process)\.ts$/],
  ],
}
const mayKnow = {
  protocol: ['protocol'],
  'host-agent': ['host-agent', 'protocol'],
  gateway: ['gateway', 'protocol'],
}
const packagesOfProtocol = ['zod', 'json-rpc-2.0']
/** Where a protocol file's own job is a stream of Node's, or a socket's or key's shape: types only. */
const typeOnlyPackages = ['node:stream', 'node:tls', 'node:crypto', 'ws']
/** Works on texts alone. */
const purePackages = ['node:path']

const complaints = []
const graph = new Map()

for (const room of Object.keys(levels)) {
  for (const path of readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })) {
    if (/\.tsx?$/.test(path) && !path.endsWith('.test.ts')) readImports(room, join(room, path))
  }
}
for (const file of graph.keys()) findCircle(file, [])

if (complaints.length > 0) {
  console.error([...new Set(complaints)].join('\n'))
  process.exit(1)
}
console.log(`arrows: ${graph.size} files, none against the house`)

function readImports(room, file) {
  const text = readFileSync(join(root, file), 'utf8')
  const targets = []
  graph.set(file, targets)
  for (const [, typeOnly, from, dynamic] of text.matchAll(
    /(?:^|\n)(?:import|export)\s+(type\s)?[^'"\n;]*?(?:\{[^}]*\}[^'"\n;]*?)?from\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g,
  )) {
    const specifier = from ?? dynamic
    if (specifier.startsWith('.'))
      checkLocal(room, file, relative(root, resolve(root, dirname(file), specifier)), targets)
    else if (room === 'protocol') checkPackage(file, specifier, typeOnly !== undefined)
  }
}

function checkLocal(room, file, target, targets) {
  targets.push(target)
  const targetRoom = target.split('/')[0]
  if (!mayKnow[room].includes(targetRoom))
    complaints.push(`${file} → ${target}: ${room} may not know ${targetRoom}`)
  else if (targetRoom === room && levelOf(room, target) > levelOf(room, file))
    complaints.push(`${file} → ${target}: this arrow runs against the house`)
}

function checkPackage(file, specifier, isTypeOnly) {
  if (packagesOfProtocol.includes(specifier) || purePackages.includes(specifier)) return
  if (typeOnlyPackages.includes(specifier) && isTypeOnly) return
  complaints.push(`${file} → ${specifier}: protocol takes no package but ${packagesOfProtocol.join(' and ')}`)
}

function levelOf(room, file) {
  const inRoom = file.slice(room.length + 1)
  const level = levels[room].findIndex((patterns) => patterns.some((pattern) => pattern.test(inRoom)))
  if (level < 0) complaints.push(`${file}: test/check-arrows.js has no place for it`)
  return level
}

function findCircle(file, path) {
  const at = path.indexOf(file)
  if (at >= 0) {
    complaints.push(`circle: ${[...path.slice(at), file].join(' → ')}`)
    return
  }
  if (path.length > 40) return
  const targets = graph.get(file) ?? []
  graph.set(file, targets)
  if (findCircle.done?.has(file)) return
  for (const target of targets) findCircle(target, [...path, file])
  findCircle.done ??= new Set()
  findCircle.done.add(file)
}
