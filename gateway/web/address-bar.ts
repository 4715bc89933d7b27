/** The address bar as state: what it says, going on to something else, and back. */
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { type Address, readAddress, writeAddress } from './address.ts'

export interface AddressBar {
  readonly address: Address
  /** Of the entry in the history; stays the same when one comes back to it. */
  readonly entry: string
  /** @param how `replace` leaves no way back to what was there. */
  go(change: Partial<Address>, how?: 'push' | 'replace'): void
  /** To where this entry was opened from, or, where it was not opened from here, on to `otherwise`. */
  leave(otherwise: Partial<Address>): void
}

interface EntryState {
  readonly entry: string
  /** How many entries of this page lie before this one. */
  readonly depth: number
}

export function useAddressBar(): AddressBar {
  const [place, setPlace] = useState(() => readPlace())
  useEffect(() => {
    history.scrollRestoration = 'manual'
    const onPop = () => setPlace(readPlace())
    addEventListener('popstate', onPop)
    return () => removeEventListener('popstate', onPop)
  }, [])
  const go = useCallback((change: Partial<Address>, how: 'push' | 'replace' = 'push') => {
    const { address, state } = readPlace()
    const next = { ...address, ...change }
    const url = `${location.pathname}${writeAddress(next)}`
    if (how === 'replace') history.replaceState(state, '', url)
    else
      history.pushState(
        { entry: crypto.randomUUID?.() ?? `${performance.now()}`, depth: state.depth + 1 },
        '',
        url,
      )
    setPlace(readPlace())
  }, [])
  const leave = useCallback(
    (otherwise: Partial<Address>) => {
      if (readPlace().state.depth > 0) history.back()
      else go(otherwise, 'replace')
    },
    [go],
  )
  const { address, state } = place
  return useMemo(() => ({ address, entry: state.entry, go, leave }), [address, state.entry, go, leave])
}

function readPlace(): { readonly address: Address; readonly state: EntryState } {
  const { entry = 'first', depth = 0 } = (history.state ?? {}) as Partial<EntryState>
  return { address: readAddress(location.search), state: { entry, depth } }
}
