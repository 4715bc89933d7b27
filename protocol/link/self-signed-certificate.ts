/**
 * A self-signed X.509 v3 certificate for an ECDSA key, in DER. TLS wants one; nobody reads it: the other side pins the
 * key inside it (RFC 5280 for the shape, RFC 5758 for the algorithm). Pure: the signature is made by whoever has the key.
 */

export interface CertificateInput {
  /** The public key as a DER `SubjectPublicKeyInfo`. */
  readonly publicKeyDer: Uint8Array
  readonly commonName: string
  /** 1 to 20 random bytes. */
  readonly serial: Uint8Array
  readonly notBeforeMs: number
  /** ECDSA with SHA-256 over the bytes, as a DER signature. */
  sign(bytes: Uint8Array): Uint8Array
}

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  utf8String: 0x0c,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  extensions: 0xa3,
} as const

const oids = {
  ecdsaWithSha256: [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
  commonName: [0x06, 0x03, 0x55, 0x04, 0x03],
  basicConstraints: [0x06, 0x03, 0x55, 0x1d, 0x13],
} as const

/** RFC 5280 §4.1.2.5: a certificate without a well-defined end. A key ends when its owner removes it. */
const noEnd = '99991231235959Z'

/** @returns the certificate in DER. */
export function selfSignedCertificate(input: CertificateInput): Uint8Array {
  const algorithm = der(tags.sequence, oids.ecdsaWithSha256)
  const name = der(
    tags.sequence,
    der(tags.set, der(tags.sequence, oids.commonName, der(tags.utf8String, utf8(input.commonName)))),
  )
  const isNoAuthority = der(
    tags.sequence,
    oids.basicConstraints,
    der(tags.boolean, [0xff]),
    der(tags.octetString, der(tags.sequence)),
  )
  const toBeSigned = der(
    tags.sequence,
    der(tags.version, der(tags.integer, [2])),
    der(tags.integer, positive(input.serial)),
    algorithm,
    name,
    der(
      tags.sequence,
      der(tags.generalizedTime, utf8(timeText(input.notBeforeMs))),
      der(tags.generalizedTime, utf8(noEnd)),
    ),
    name,
    input.publicKeyDer,
    der(tags.extensions, der(tags.sequence, isNoAuthority)),
  )
  return der(tags.sequence, toBeSigned, algorithm, der(tags.bitString, [0], input.sign(toBeSigned)))
}

/** @param contents one after another, as they are. */
function der(tag: number, ...contents: readonly ArrayLike<number>[]): Uint8Array {
  const bytes = contents.flatMap((part) => Array.from(part))
  return Uint8Array.from([tag, ...lengthOf(bytes.length), ...bytes])
}

function lengthOf(count: number): number[] {
  if (count < 0x80) return [count]
  const bytes: number[] = []
  for (let left = count; left > 0; left = Math.floor(left / 256)) bytes.unshift(left % 256)
  return [0x80 + bytes.length, ...bytes]
}

/** DER's shortest form of a number above zero: no leading zeros, and one where the first bit would say "negative". */
function positive(bytes: Uint8Array): number[] {
  const first = bytes.findIndex((byte) => byte !== 0)
  const shortest = first < 0 ? [1] : Array.from(bytes.subarray(first))
  return (shortest[0] ?? 0) < 0x80 ? shortest : [0, ...shortest]
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`
}
