/**
 * What runs on an SSH host to start an agent that need not be installed there: a line of shell that is sent on stdin,
 * so that neither the login shell's quoting nor its limits matter. It finds Node, takes the agent from stdin where it is
 * not there yet, and becomes the agent.
 */
import { findNodeScript } from './find-node-script.ts'
import { defaultAgentCommand, quoteForShell, startWordPrefix } from './remote-command.ts'

/** The command of the exec channel. `sh` reads its line byte by byte, and leaves what follows to the installer. */
export const bootstrapCommand = 'IFS= read -r line && eval "$line"'

/** Other versions stay while somebody may still start them: another gateway, or a running agent its second thread. */
const keptDays = 30

/**
 * Runs in a Node that can run the agent. Everything is made beside its place and renamed into it, so that two gateways
 * at once, or a link that is cut, leave a whole agent or none.
 */
const installer = [
  `const fs = require('fs'), path = require('path'), zlib = require('zlib'), crypto = require('crypto');`,
  `const [, data, hash] = process.argv, root = path.join(data, 'agent'), place = path.join(root, hash);`,
  `const temp = path.join(root, '.' + hash + '.' + process.pid + '.' + crypto.randomBytes(4).toString('hex'));`,
  `const say = (word) => fs.writeSync(1, '\\n${startWordPrefix}' + word + '\\n');`,
  `const fail = (code) => { throw Object.assign(new Error(code), { code }); };`,
  `const drop = () => { try { fs.rmSync(temp, { recursive: true, force: true }); } catch {} };`,
  `const take = (size) => { const bytes = Buffer.alloc(size); let at = 0; while (at < size) {`,
  `try { const count = fs.readSync(0, bytes, at, size - at, null); if (count === 0) fail('cut'); at += count; }`,
  `catch (error) { if (error.code !== 'EAGAIN') throw error;`,
  `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10); } } return bytes; };`,
  `const old = (name, days) => { try { return Date.now() - fs.statSync(path.join(root, name)).mtimeMs > days * 864e5; }`,
  `catch { return false; } };`,
  // One by one: Node's recursive mkdir calls a read-only disk ENOENT.
  `const make = (dir) => { if (fs.existsSync(dir)) return; make(path.dirname(dir));`,
  `try { fs.mkdirSync(dir, { mode: 0o700 }); } catch (error) { if (error.code !== 'EEXIST') throw error; } };`,
  `try { make(temp); say('want');`,
  `const file = zlib.gunzipSync(take(take(4).readUInt32BE(0)));`,
  `if (!crypto.createHash('sha256').update(file).digest('hex').startsWith(hash)) fail('damaged');`,
  `const handle = fs.openSync(path.join(temp, 'trawl-agent.mjs'), 'wx', 0o600);`,
  `try { fs.writeFileSync(handle, file); fs.fsyncSync(handle); } finally { fs.closeSync(handle); }`,
  `try { fs.renameSync(temp, place); } catch (error) { if (!fs.existsSync(path.join(place, 'trawl-agent.mjs'))) throw error; }`,
  `try { for (const name of fs.readdirSync(root)) {`,
  `const isOurs = /^[.]?[0-9a-f]{32}([.]|$)/.test(name) && name !== hash;`,
  `if (isOurs && old(name, name.startsWith('.') ? 1 : ${keptDays})) fs.rmSync(path.join(root, name), { recursive: true, force: true });`,
  // Before the word of what went wrong: nobody waits for more after it.
  `} } catch {} drop(); } catch (error) { drop();`,
  `say('cannot ' + (error.code || 'failed') + ' ' + (error.path || root)); process.exitCode = 1; }`,
].join(' ')

/**
 * @param hash of the bundle the gateway has.
 * @param systemRoot as in `findNodeScript`.
 * @returns one line, its end included. It answers with the agent's ready line, or with `trawl-install want` (the packed
 *   bundle is taken then), `trawl-install cannot CODE PATH`, or `trawl-install no-node WHAT WAS TRIED`;
 *   `trawl-install older-agent` comes before the ready line of one that is older than resident agents.
 */
export function startScript(hash: string, systemRoot = ''): string {
  return `${[
    // As the agent itself works it out (wire.md §7).
    `data="\${TRAWL_DATA_DIR:-}";`,
    `if [ -z "$data" ]; then case "\${XDG_DATA_HOME:-}" in /*) data="$XDG_DATA_HOME/trawl";; *) data="$HOME/.local/share/trawl";; esac; fi;`,
    `agent="$data/agent/${hash}/trawl-agent.mjs";`,
    findNodeScript(systemRoot),
    `if [ -z "$node" ]; then`,
    `if command -v trawl-agent >/dev/null 2>&1; then ${defaultAgentCommand}; exit; fi;`,
    `echo; printf '%s' '${startWordPrefix}no-node '; printf '%s' "$tried" | tr '\\n' ' '; echo; exit 0; fi;`,
    `if [ ! -f "$agent" ]; then "$node" -e ${quoteForShell(installer)} "$data" ${hash} || exit 0; fi;`,
    // Says that this version is still in use.
    `touch "$data/agent/${hash}" 2>/dev/null;`,
    `if [ -n "$modules" ]; then NODE_PATH="$modules\${NODE_PATH:+:$NODE_PATH}"; export NODE_PATH; fi;`,
    `exec "$node" "$agent" stdio --resident`,
  ].join(' ')}\n`
}
