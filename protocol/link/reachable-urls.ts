/** Under which addresses a listening socket may be found by other machines, for a pairing offer. */

export interface ReachableInput {
  /** What the socket listens on. */
  readonly host: string
  readonly port: number
  readonly hostName: string
  /** Of `os.networkInterfaces()`. */
  readonly interfaces: readonly { readonly address: string; readonly internal: boolean }[]
  readonly path: string
}

/** @returns `wss://` addresses, at least one: where it listens, or, if that is everywhere, this machine's name and addresses. */
export function reachableUrls({ host, port, hostName, interfaces, path }: ReachableInput): string[] {
  const isEverywhere = host === '0.0.0.0' || host === '::'
  const names = isEverywhere
    ? [
        hostName,
        ...interfaces
          // A link-local address means something only with an interface, which is another one over there.
          .filter(({ address, internal }) => !internal && !/^fe80:/i.test(address))
          .filter(({ address }) => host === '::' || !address.includes(':'))
          .map(({ address }) => address),
      ]
    : [host]
  return [...new Set(names)].map((name) => `wss://${name.includes(':') ? `[${name}]` : name}:${port}${path}`)
}
