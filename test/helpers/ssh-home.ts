/** A home directory for SSH's client side: keys, config and known_hosts of its own, never the developer's. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import ssh2 from 'ssh2'
import type { SshEnvironment } from '../../gateway/hosts/ssh/ssh-settings.ts'

export interface SshHome extends AsyncDisposable {
  readonly homeDir: string
  readonly sshDir: string
  readonly knownHostsFile: string
  /** For `settingsFromConfig`. */
  readonly environment: SshEnvironment
  /** Writes a file under `.ssh`, readable by its owner alone. @returns its path. */
  write(name: string, text: string): Promise<string>
  /** Writes a new key pair under `.ssh`. @returns the public line. */
  writeKey(name: string, passphrase?: string): Promise<string>
}

export async function createSshHome(
  variables: Readonly<Record<string, string | undefined>> = {},
): Promise<SshHome> {
  const homeDir = await mkdtemp(join(tmpdir(), 'trawl-ssh-'))
  const sshDir = join(homeDir, '.ssh')
  await mkdir(sshDir, { mode: 0o700 })
  const write = async (name: string, text: string) => {
    const path = join(sshDir, name)
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
    await writeFile(path, text, { mode: 0o600 })
    await chmod(path, 0o600)
    return path
  }
  return {
    homeDir,
    sshDir,
    knownHostsFile: join(sshDir, 'known_hosts'),
    environment: {
      homeDir,
      localUser: userInfo().username,
      localHostName: 'desk.example',
      variables,
      systemDir: join(homeDir, 'etc-ssh'),
    },
    write,
    async writeKey(name, passphrase) {
      const pair = makeKeyPair(passphrase)
      await write(name, pair.private)
      await write(`${name}.pub`, `${pair.public}\n`)
      return pair.public
    },
    async [Symbol.asyncDispose]() {
      await rm(homeDir, { recursive: true, force: true })
    },
  }
}

/** An Ed25519 pair in OpenSSH's form. ssh2 writes one in 256 wrong (a public key that begins with 0), hence the loop. */
export function makeKeyPair(passphrase?: string): { private: string; public: string } {
  for (;;) {
    const pair =
      passphrase === undefined
        ? ssh2.utils.generateKeyPairSync('ed25519')
        : ssh2.utils.generateKeyPairSync('ed25519', { passphrase, cipher: 'aes256-ctr', rounds: 1 })
    if (!(ssh2.utils.parseKey(pair.private, passphrase) instanceof Error)) return pair
  }
}
