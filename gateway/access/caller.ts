/**
 * Who is calling. The exposure class is fixed here, once a connection, by the door it came through and the
 * credential it showed; nothing a request says can change it (contract, "Evidence and exposure").
 */
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { DeviceRight } from '../../protocol/rpc/rights.ts'
import type { ExposureClass } from '../../protocol/session-search/exposure.ts'

export interface Caller {
  readonly exposure: ExposureClass
  /** For the log and for counting; holds no secret. */
  readonly name: string
  /** What a paired client may do; absent for the owner of this machine, who may do everything. */
  readonly may?: readonly DeviceRight[]
  /** Aborted when the credential is revoked: what it has open ends then. */
  readonly revoked?: AbortSignal
  /** Where the connection comes from, over TCP; it proves nothing, and is counted alone. */
  readonly address?: string
}

/** What a connection has to show for itself. */
export type Credential =
  /** The Unix socket's mode, or a command that runs the gateway inside itself: the system has checked the user. */
  | { readonly kind: 'same-user' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'none' }

/**
 * Looks a token up; null where it is not one it knows. Each kind of credential brings one.
 * @throws TrawlError `unauthorized` with the reason `revoked` for one that was good once.
 */
export type TokenLookup = (token: string) => Caller | null

export interface Access {
  /** @throws TrawlError `unauthorized` for a missing or unknown credential, without saying which. */
  callerFor(credential: Credential): Caller
}

/** @param lookups asked in turn: this machine's own token, the table of paired devices. */
export function createAccess(lookups: readonly TokenLookup[]): Access {
  return {
    callerFor(credential) {
      if (credential.kind === 'same-user') return { exposure: 'ipc', name: 'same-user' }
      if (credential.kind === 'token') {
        for (const lookup of lookups) {
          const caller = lookup(credential.token)
          if (caller !== null) return caller
        }
      }
      throw new TrawlError('unauthorized')
    },
  }
}

/** Reads `Authorization: Bearer <token>`; any other scheme shows no credential. */
export function credentialFromHeader(authorization: string | undefined): Credential {
  const found = /^Bearer +(\S+) *$/i.exec(authorization ?? '')
  return found?.[1] === undefined ? { kind: 'none' } : { kind: 'token', token: found[1] }
}
