/** Keeps what is being read where it is on the screen while messages come or go above it. */

export interface KeptPlace {
  /** Of the message that stands highest on the screen. */
  readonly index: number
  /** CSS pixels below the top of what scrolls. */
  readonly top: number
}

/** @param scroller holds elements with `data-index`, in the order of their numbers. */
export function placeIn(scroller: HTMLElement): KeptPlace | null {
  const { top } = scroller.getBoundingClientRect()
  for (const entry of entriesIn(scroller)) {
    const box = entry.getBoundingClientRect()
    if (box.bottom > top) return { index: indexOf(entry), top: box.top - top }
  }
  return null
}

/** A message that a run has taken in since stands where the run begins. */
export function keepPlace(scroller: HTMLElement, place: KeptPlace): void {
  const entry = entryAt(scroller, place.index)
  if (entry === null) return
  const top = entry.getBoundingClientRect().top - scroller.getBoundingClientRect().top
  if (top !== place.top) scroller.scrollTop += top - place.top
}

/** The entry that begins with that message, or the last one before it. */
export function entryAt(scroller: HTMLElement, index: number): HTMLElement | null {
  return entriesIn(scroller).findLast((entry) => indexOf(entry) <= index) ?? entriesIn(scroller)[0] ?? null
}

export function entriesIn(scroller: HTMLElement): HTMLElement[] {
  return Array.from(scroller.querySelectorAll<HTMLElement>('.entry'))
}

export function indexOf(entry: HTMLElement): number {
  return Number(entry.dataset.index)
}

/** The message that stands highest on the screen. */
export function hereIn(scroller: HTMLElement | null): number {
  return (scroller === null ? null : placeIn(scroller)?.index) ?? 0
}

/** The entry that has the focus, or something in it. */
export function focusedEntry(scroller: HTMLElement): HTMLElement | null {
  const entry = document.activeElement?.closest<HTMLElement>('.entry') ?? null
  return entry !== null && scroller.contains(entry) ? entry : null
}

/**
 * Gives the focus to an entry, or a step in one, and brings it on the screen.
 * @param part of it that is to be seen; null for its beginning.
 */
export function showPlace(scroller: HTMLElement, place: HTMLElement | null, part: Element | null): void {
  place?.focus({ preventScroll: true })
  const box = (part ?? place)?.getBoundingClientRect()
  if (box === undefined) return
  const frame = scroller.getBoundingClientRect()
  const margin = frame.height / 8
  const isSeen =
    box.top >= frame.top + margin && (part === null ? box.top : box.bottom) <= frame.bottom - margin
  // A third down, where eyes look for what goes on.
  if (!isSeen) scroller.scrollTop += box.top - frame.top - frame.height / 3
}
