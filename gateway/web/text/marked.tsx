/** A snippet with its matches marked; all of it stays text. */
import { splitMarks } from './split-marks.ts'

export function Marked({ snippet }: { readonly snippet: string }) {
  return (
    <>
      {splitMarks(snippet).map(({ text, isMatch }, at) =>
        isMatch ? <mark key={`${at}`}>{text}</mark> : text,
      )}
    </>
  )
}
