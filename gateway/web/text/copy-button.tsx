/** Copies a text and says that it did, to eyes and to screen readers. */
import { useEffect, useState } from 'preact/hooks'

const saidMs = 2_000

export interface CopyButtonProps {
  /** What the button does, in words: `Copy session id`. */
  readonly label: string
  readonly text: string | (() => string)
}

export function CopyButton({ label, text }: CopyButtonProps) {
  const [said, setSaid] = useState<string | null>(null)
  useEffect(() => {
    if (said === null) return
    const timer = setTimeout(() => setSaid(null), saidMs)
    return () => clearTimeout(timer)
  }, [said])
  async function copy() {
    setSaid((await writeClipboard(typeof text === 'string' ? text : text())) ? 'Copied' : 'Could not copy')
  }
  return (
    <button type="button" class="plain-button" onClick={() => void copy()}>
      {said ?? label}
      <span class="for-screen-readers" role="status">
        {said ?? ''}
      </span>
    </button>
  )
}

/** @returns whether it could. Pages over plain http have no clipboard of their own, but may still copy a selection. */
async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const field = document.createElement('textarea')
    field.value = text
    field.className = 'for-screen-readers'
    document.body.append(field)
    field.select()
    const isCopied = document.execCommand('copy')
    field.remove()
    return isCopied
  }
}
