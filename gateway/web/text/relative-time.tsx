/** How long ago something was, in words; the exact time is there on hover and for machines. */

import type { ComponentChildren } from 'preact'
import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { Clock } from '../../../protocol/clock.ts'
import { sayAgo } from '../../words/say-time.ts'

const tickMs = 30_000
const NowMs = createContext(0)

/** One tick for every time that is shown, and none while the page is hidden. */
export function CurrentTime({ clock, children }: { readonly clock: Clock; children: ComponentChildren }) {
  const [nowMs, setNowMs] = useState(() => clock.now())
  useEffect(() => {
    let stop = () => {}
    const tick = () => {
      stop()
      if (document.hidden) return
      setNowMs(clock.now())
      stop = clock.after(tickMs, tick)
    }
    tick()
    document.addEventListener('visibilitychange', tick)
    return () => {
      stop()
      document.removeEventListener('visibilitychange', tick)
    }
  }, [clock])
  return <NowMs.Provider value={nowMs}>{children}</NowMs.Provider>
}

/** Milliseconds since the epoch, good to half a minute. */
export function useNowMs(): number {
  return useContext(NowMs)
}

/** @param at ISO time, or milliseconds since the epoch. What is no time is shown as it is. */
export function RelativeTime({ at }: { readonly at: string | number }) {
  const nowMs = useNowMs()
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return <span>{String(at)}</span>
  return (
    <time
      dateTime={date.toISOString()}
      title={date.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' })}
    >
      {sayAgo(date.getTime(), nowMs)}
    </time>
  )
}
