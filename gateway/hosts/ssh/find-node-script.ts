/**
 * Shell text that finds a Node on an SSH host which can run the agent, where people have it. One line of POSIX sh, run
 * by whatever `sh` is there; it never reads stdin, which holds what comes next.
 */
import { quoteForShell } from './remote-command.ts'

/**
 * Asks a Node about itself; old ones must understand it, too. Says `ok|<node_modules with better-sqlite3>|<path>|`, the
 * first empty where SQLite is built in, or what is missing. better-sqlite3 is looked for where a program of this user
 * may have it: the usual folders, this Node's global ones, and those of an installed trawl-agent.
 */
const probe = [
  `var fs = require('fs'), path = require('path'), at = process.versions.node, part = at.split('.');`,
  `function say(word) { console.log('trawl-probe:' + word + '|'); }`,
  `function builtIn() { try { return !!process.getBuiltinModule('node:sqlite'); } catch (e) { return false; } }`,
  `function real(file) { try { return fs.realpathSync(file); } catch (e) { return ''; } }`,
  `function folders() {`,
  `var list = (require.resolve.paths('x') || []).slice(), prefix = path.dirname(path.dirname(process.execPath));`,
  `list.push(path.join(prefix, 'lib', 'node_modules'), '/usr/local/lib/node_modules', '/usr/lib/node_modules');`,
  `(process.env.PATH || '').split(':').forEach(function (dir) {`,
  `var found = real(path.join(dir, 'trawl-agent'));`,
  `if (found) list.push(path.join(path.dirname(path.dirname(found)), 'node_modules'));`,
  `}); return list; }`,
  `function usable(dir) { try {`,
  `new (require(path.join(dir, 'better-sqlite3')))(':memory:').close(); return true; } catch (e) { return false; } }`,
  `if (+part[0] < 20 || (+part[0] === 20 && +part[1] < 19)) say('is ' + at + ', which is too old');`,
  `else if (builtIn()) say('ok||' + process.execPath);`,
  `else { var dir = folders().filter(usable)[0];`,
  `say(dir ? 'ok|' + dir + '|' + process.execPath : 'is ' + at + ' and finds no better-sqlite3'); }`,
].join(' ')

/** A folder that a variable may have moved. */
const movable = (variable: string, usual: string) => `"\${${variable}:-${usual}}"`

/** Globs, versions in them; the last of each is tried first. */
const versioned = [
  `${movable('NVM_DIR', '$HOME/.nvm')}/versions/node/v[2-9][0-9]*/bin/node`,
  `${movable('FNM_DIR', '$HOME/.local/share/fnm')}/node-versions/v[2-9][0-9]*/installation/bin/node`,
  '"$HOME"/.fnm/node-versions/v[2-9][0-9]*/installation/bin/node',
  '"$HOME/Library/Application Support/fnm"/node-versions/v[2-9][0-9]*/installation/bin/node',
  `${movable('VOLTA_HOME', '$HOME/.volta')}/tools/image/node/[2-9][0-9]*/bin/node`,
  `${movable('ASDF_DATA_DIR', '$HOME/.asdf')}/installs/nodejs/[2-9][0-9]*/bin/node`,
  `${movable('MISE_DATA_DIR', '$HOME/.local/share/mise')}/installs/node/[2-9][0-9]*/bin/node`,
  '"$HOME"/.nodenv/versions/[2-9][0-9]*/bin/node',
  '"$HOME"/.proto/tools/node/[2-9][0-9]*/bin/node',
]
const versionedOfSystem = [
  '/opt/homebrew/opt/node*/bin/node',
  '/usr/local/opt/node*/bin/node',
  '/opt/node*/bin/node',
]

const plain = [
  '"$HOME"/.linuxbrew/bin/node',
  '"$HOME"/.local/bin/node',
  '"$HOME"/n/bin/node',
  '"$HOME"/.nix-profile/bin/node',
]
const plainOfSystem = [
  '/opt/homebrew/bin/node',
  '/usr/local/bin/node',
  '/home/linuxbrew/.linuxbrew/bin/node',
  '/run/current-system/sw/bin/node',
  '/snap/bin/node',
  '/usr/bin/node',
]

/**
 * Leaves `$node` (empty where none will do), `$modules` (where that Node finds better-sqlite3, empty where it needs
 * none) and `$tried`, what was found and would not do.
 * @param systemRoot stands before the absolute places; empty but in tests, which must not find this machine's own Node.
 */
export function findNodeScript(systemRoot: string): string {
  const globs = [...versioned, ...versionedOfSystem.map((glob) => systemRoot + glob)]
  const paths = [...plainOfSystem.map((path) => systemRoot + path), ...plain]
  return [
    `probe=${quoteForShell(probe)};`,
    `node=; modules=; tried=; seen=;`,
    // Shims of version managers may not run at all, and lead to the real one where they do: hence its own path.
    `try() {`,
    `[ -z "$node" ] && [ -f "$1" ] || return 0;`,
    `case "$seen|" in *"|$1|"*) return 0;; esac; seen="$seen|$1";`,
    `said=$("$1" -e "$probe" </dev/null 2>&1);`,
    `case $said in`,
    `*trawl-probe:ok*) said="\${said##*trawl-probe:ok|}"; modules="\${said%%|*}"; said="\${said#*|}"; node="\${said%%|*}";;`,
    `*trawl-probe:*) said="\${said##*trawl-probe:}"; tried="$tried$1 \${said%%|*}; ";;`,
    `*) tried="$tried$1 cannot be run ($(printf %s "$said" | head -n 1 | cut -c 1-120)); ";;`,
    `esac; };`,
    `newest() { left=$#; while [ "$left" -gt 0 ]; do eval "try \\"\\\${$left}\\""; left=$((left - 1)); done; };`,
    `try "$(command -v node 2>/dev/null)"; try "$(command -v nodejs 2>/dev/null)";`,
    ...globs.map((glob) => `newest ${glob};`),
    ...paths.map((path) => `try ${path};`),
    // Last, for it is slow and may print anything: what the login shell would find.
    `if [ -z "$node" ]; then`,
    `said=$("\${SHELL:-/bin/sh}" -lic 'sh -c "echo trawl-path:\\$PATH:"' </dev/null 2>/dev/null);`,
    `case $said in *trawl-path:*) said="\${said##*trawl-path:}"; set -f; IFS=:;`,
    `for dir in $said; do unset IFS; try "$dir/node"; done; unset IFS; set +f;; esac;`,
    `fi;`,
  ].join(' ')
}
