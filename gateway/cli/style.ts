/** Bold and dim, or neither: nothing here is told by style alone. */
import type { OutputStream } from './command-context.ts'

export interface Style {
  readonly isColour: boolean
  bold(text: string): string
  dim(text: string): string
}

/** Plain unless the stream is a terminal. `--no-color`, `NO_COLOR` and `TERM=dumb` switch it off; `FORCE_COLOR` wins. */
export function createStyle(
  stream: OutputStream,
  env: Readonly<Record<string, string | undefined>>,
  isSwitchedOff: boolean,
): Style {
  const isColour = wantsColour(stream, env, isSwitchedOff)
  const wrap = (open: number, close: number) => (text: string) =>
    isColour && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text
  return { isColour, bold: wrap(1, 22), dim: wrap(2, 22) }
}

function wantsColour(
  stream: OutputStream,
  env: Readonly<Record<string, string | undefined>>,
  isSwitchedOff: boolean,
): boolean {
  if (isSwitchedOff) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0'
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
}
