/** Messages made ready to be shown: each once, and again only when more of it is wanted. */
import { useMemo } from 'preact/hooks'
import { type MessageText, messageText } from './message-text.ts'
import type { SoughtPhrase } from './sought-words.ts'
import type { SessionMessage } from './transcript-pages.ts'

/** @param whole the numbers of the messages that are shown whole, however long. */
export function useMessageTexts(
  phrases: readonly SoughtPhrase[],
  whole: ReadonlySet<number>,
): (message: SessionMessage) => MessageText {
  const made = useMemo(
    () => new WeakMap<SessionMessage, { readonly isWhole: boolean; readonly text: MessageText }>(),
    [phrases],
  )
  return useMemo(
    () => (message) => {
      const isWhole = whole.has(message.index)
      const known = made.get(message)
      if (known?.isWhole === isWhole) return known.text
      const text = messageText(message.text, message.role, phrases, isWhole)
      made.set(message, { isWhole, text })
      return text
    },
    [made, whole],
  )
}
