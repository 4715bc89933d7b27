/** The key agent, with every socket to it in hand, so that an agent that never answers leaves nothing behind. */
import { connect, type Socket } from 'node:net'
import type { IdentityCallback, KnownPublicKeys, ParsedKey, SignCallback, SigningRequestOptions } from 'ssh2'
import ssh2 from 'ssh2'

/** ssh2's callback for a stream; the package's types do not export it. */
type StreamCallback = (error?: Error | null, stream?: Socket) => void

export class SshAgent extends ssh2.OpenSSHAgent implements Disposable {
  readonly #socketPath: string
  readonly #sockets = new Set<Socket>()

  constructor(socketPath: string) {
    super(socketPath)
    this.#socketPath = socketPath
  }

  /** Called by ssh2 for each request. */
  override getStream(callback: StreamCallback): void {
    const socket = connect(this.#socketPath)
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', (error) => callback(error))
    socket.once('connect', () => callback(null, socket))
  }

  /** @returns the public keys the agent holds; kinds of key that ssh2 does not know are left out. */
  identities(): Promise<readonly ParsedKey[]> {
    return new Promise((resolve, reject) => {
      this.getIdentities((error, keys) => {
        if (error || keys === undefined) reject(error ?? new Error('the agent lists no keys'))
        else resolve(keys.map(toParsedKey).filter((key) => key !== null))
      })
    })
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** An agent that shows ssh2 one key of another: so that keys can be tried one by one, in our order. */
export class SingleKeyAgent extends ssh2.BaseAgent<ParsedKey> {
  readonly #agent: SshAgent
  readonly #key: ParsedKey
  readonly #onRefused: (error: Error) => void

  /** @param onRefused told when the agent will not sign with the key (locked, or nobody confirmed) */
  constructor(agent: SshAgent, key: ParsedKey, onRefused: (error: Error) => void) {
    super()
    this.#agent = agent
    this.#key = key
    this.#onRefused = onRefused
  }

  override getIdentities(callback: IdentityCallback<ParsedKey>): void {
    callback(undefined, [this.#key])
  }

  override sign(
    key: ParsedKey,
    data: Buffer,
    options: SigningRequestOptions | SignCallback,
    callback?: SignCallback,
  ): void {
    const done = typeof options === 'function' ? options : callback
    this.#agent.sign(key, data, typeof options === 'function' ? {} : options, (error, signature) => {
      if (error) this.#onRefused(error)
      done?.(error, signature)
    })
  }
}

/** The types let an agent give keys in several forms; OpenSSH's gives them parsed. */
function toParsedKey(given: KnownPublicKeys<ParsedKey>[number]): ParsedKey | null {
  const raw = typeof given === 'object' && 'pubKey' in given ? given.pubKey : given
  const key = ssh2.utils.parseKey(typeof raw === 'object' && 'pubKey' in raw ? raw.pubKey : raw)
  return key instanceof Error ? null : key
}
