/** A refusal that a person at the terminal can act on: one sentence that says what is wrong and what to do. */

export type RefusalKind = 'usage' | 'configuration' | 'permission' | 'in-use' | 'gateway-unreachable'

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly kind: RefusalKind

  constructor(kind: RefusalKind, sentence: string, cause?: unknown) {
    super(sentence, cause === undefined ? undefined : { cause })
    this.kind = kind
  }
}

/** The system's code of a failed call (`ENOENT`, `EACCES`, …), or null. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}
