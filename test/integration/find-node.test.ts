/** Where the start script finds a Node: run by a real `sh`, on a machine whose every place is the test's own. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findNodeScript } from '../../gateway/hosts/ssh/find-node-script.ts'
import { bootstrapCommand, startScript } from '../../gateway/hosts/ssh/start-script.ts'
import { packagesDir } from '../helpers/agent-bundle.ts'

interface Found {
  readonly node: string
  readonly modules: string
  readonly tried: string
  /** The places that were run, in their order, from the machine's root. */
  readonly asked: readonly string[]
}

/** A machine without any Node: its root, a home on it, and a PATH with the few tools of a bare system. */
async function createMachine() {
  const root = await mkdtemp(join(tmpdir(), 'trawl-machine-'))
  const home = join(root, 'home/mira')
  const tools = join(root, 'tools')
  await mkdir(home, { recursive: true })
  await mkdir(tools)
  for (const tool of ['sh', 'head', 'cut', 'tr', 'cat']) {
    const path = execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim()
    await symlink(path, join(tools, tool))
  }
  const write = async (path: string, text: string) => {
    const file = join(root, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
    await chmod(file, 0o755)
  }
  const log = join(root, 'asked')
  const run = async (env: NodeJS.ProcessEnv = {}): Promise<Found> => {
    const script = `${findNodeScript(root)} printf '%s\\n' "$node" "$modules" "$tried"`
    const { stdout } = await promisify(execFile)('sh', ['-c', script], {
      env: { HOME: home, PATH: tools, NODE_PATH: packagesDir, SHELL: '/nowhere', ...env },
      cwd: root,
    })
    const [node = '', modules = '', tried = ''] = stdout.split('\n')
    const asked = await readFile(log, 'utf8').catch(() => '')
    return { node, modules, tried: tried.replaceAll(root, ''), asked: asked.split('\n').slice(0, -1) }
  }
  return {
    root,
    home,
    tools,
    write,
    run,
    /** What the whole script says, with nothing more on its stdin. */
    start: async (): Promise<string> => {
      const child = promisify(execFile)('sh', ['-c', bootstrapCommand], {
        env: { HOME: home, PATH: tools, NODE_PATH: packagesDir, SHELL: '/nowhere' },
        cwd: root,
      })
      child.child.stdin?.end(startScript('0'.repeat(32), root))
      return (await child).stdout
    },
    /** This test's own Node, at another place, as the version it says. */
    install: async (path: string, version = process.versions.node, preload = '') => {
      const pretend = `${path}.cjs`
      await write(
        pretend,
        `Object.defineProperty(process.versions, 'node', { value: '${version}' });\n${preload}`,
      )
      await write(
        path,
        `#!/bin/sh\necho "\${0#${root}}" >> ${log}\nexec ${process.execPath} -r '${join(root, pretend)}' "$@"\n`,
      )
    },
    [Symbol.asyncDispose]: async () => await rm(root, { recursive: true, force: true }),
  }
}

const withoutSqlite = 'process.getBuiltinModule = () => undefined;'
const withSqlite = 'process.getBuiltinModule = () => ({});'

describe('findNodeScript', () => {
  let machine: Awaited<ReturnType<typeof createMachine>>
  beforeEach(async () => {
    machine = await createMachine()
  })
  afterEach(async () => {
    await machine[Symbol.asyncDispose]()
  })

  it.each([
    ['nvm', '/home/mira/.nvm/versions/node/v22.14.0/bin/node'],
    ['fnm', '/home/mira/.local/share/fnm/node-versions/v22.14.0/installation/bin/node'],
    [
      'fnm on a Mac',
      '/home/mira/Library/Application Support/fnm/node-versions/v22.14.0/installation/bin/node',
    ],
    ['volta', '/home/mira/.volta/tools/image/node/22.14.0/bin/node'],
    ['asdf', '/home/mira/.asdf/installs/nodejs/22.14.0/bin/node'],
    ['mise', '/home/mira/.local/share/mise/installs/node/22.14.0/bin/node'],
    ['Homebrew', '/opt/homebrew/bin/node'],
    ['a keg of Homebrew', '/opt/homebrew/opt/node@22/bin/node'],
    ['Homebrew on Linux', '/home/linuxbrew/.linuxbrew/bin/node'],
    ['a plain installation', '/usr/local/bin/node'],
    ['the PATH', '/tools/node'],
  ])('finds the Node of %s', async (_, path) => {
    await machine.install(path)
    const found = await machine.run()
    expect(found).toMatchObject({ node: process.execPath, tried: '', asked: [path] })
  })

  it('follows the variables that move a version manager', async () => {
    await machine.install('/srv/nvm/versions/node/v22.14.0/bin/node')
    expect((await machine.run({ NVM_DIR: join(machine.root, 'srv/nvm') })).node).toBe(process.execPath)
  })

  it('takes the newest of a version manager, and one that is too old never', async () => {
    for (const version of ['20.19.0', '22.14.0', '24.1.0'])
      await machine.install(`/home/mira/.nvm/versions/node/v${version}/bin/node`, version, withSqlite)
    expect((await machine.run()).asked).toEqual(['/home/mira/.nvm/versions/node/v24.1.0/bin/node'])
  })

  it('goes on from a Node that is too old, one without SQLite and a shim that leads nowhere', async () => {
    await machine.install('/tools/node', '18.20.4')
    await machine.write('/usr/local/bin/node', '#!/bin/sh\necho "No version is set" >&2\nexit 126\n')
    await machine.install('/home/mira/.volta/tools/image/node/20.20.0/bin/node', '20.20.0', withoutSqlite)
    const nothing = await machine.run({ NODE_PATH: '' })
    expect(nothing.node).toBe('')
    expect(nothing.tried).toContain('/tools/node is 18.20.4, which is too old; ')
    expect(nothing.tried).toContain('/usr/local/bin/node cannot be run (No version is set); ')
    expect(nothing.tried).toContain('/bin/node is 20.20.0 and finds no better-sqlite3; ')
    await machine.install('/home/mira/.local/bin/node', '22.14.0', withSqlite)
    expect((await machine.run({ NODE_PATH: '' })).node).toBe(process.execPath)
  })

  it('tells where a Node without SQLite finds better-sqlite3: beside an installed trawl-agent, too', async () => {
    await machine.install('/tools/node', '20.20.0', withoutSqlite)
    expect((await machine.run()).modules).toBe(packagesDir)
    await machine.write('/srv/trawl/bin/trawl-agent.js', '')
    await symlink(packagesDir, join(machine.root, 'srv/trawl/node_modules'))
    await symlink(join(machine.root, 'srv/trawl/bin/trawl-agent.js'), join(machine.tools, 'trawl-agent'))
    const found = await machine.run({ NODE_PATH: '' })
    expect(found.modules).toBe(join(machine.root, 'srv/trawl/node_modules'))
  })

  it('needs no better-sqlite3 where Node has SQLite', async () => {
    await machine.install('/tools/node', '22.14.0', withSqlite)
    expect(await machine.run()).toMatchObject({ node: process.execPath, modules: '' })
  })

  it('says of a Node that may not be run that it cannot', async () => {
    await machine.write('/opt/homebrew/bin/node', '')
    await chmod(join(machine.root, 'opt/homebrew/bin/node'), 0o644)
    const { node, tried } = await machine.run()
    expect(node).toBe('')
    expect(tried).toMatch(/^\/opt\/homebrew\/bin\/node cannot be run \(.*ermission denied\); $/)
  })

  it.skipIf(!canMount())('says of a Node on a disk without execution that it cannot', async () => {
    const place = join(machine.root, 'usr/local')
    await mkdir(place, { recursive: true })
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'noexec', 'tmpfs', place])
    try {
      await machine.install('/usr/local/bin/node')
      expect((await machine.run()).tried).toMatch(
        /^\/usr\/local\/bin\/node cannot be run \(.*ermission denied\)/,
      )
    } finally {
      execFileSync('umount', [place])
    }
  })

  it('asks the login shell last, which may print anything and reads nothing of ours', async () => {
    await machine.install('/home/mira/hidden/bin/node')
    await machine.write(
      '/shells/odd',
      '#!/bin/sh\necho "Good morning"; printf "no line end"; cat\nPATH="$HOME/hidden/bin:$PATH"; export PATH\neval "$2"\n',
    )
    const found = await machine.run({ SHELL: join(machine.root, 'shells/odd') })
    expect(found).toMatchObject({ node: process.execPath, asked: ['/home/mira/hidden/bin/node'] })
  })
})

describe('startScript', () => {
  it('takes an installed trawl-agent where no Node will do', async () => {
    await using machine = await createMachine()
    await machine.write('/tools/trawl-agent', '#!/bin/sh\necho "installed $1"\n')
    expect(await machine.start()).toBe('installed stdio\n')
  })

  it('says in one line what was tried where there is nothing to start', async () => {
    await using machine = await createMachine()
    await machine.write('/usr/local/bin/node', '#!/bin/sh\nprintf "a\\nb" >&2\nexit 1\n')
    await machine.install('/tools/node', '18.20.4')
    const word = (await machine.start()).replaceAll(machine.root, '')
    expect(word).toBe(
      '\ntrawl-install no-node /tools/node is 18.20.4, which is too old; /usr/local/bin/node cannot be run (a); \n',
    )
  })
})

function canMount(): boolean {
  if (process.getuid?.() !== 0) return false
  return spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs tmpfs "$d" && umount "$d"']).status === 0
}
