/** The frame of the page: its head, how the link stands, and which view is shown. */
import { useEffect, useState } from 'preact/hooks'
import type { Clock } from '../../protocol/clock.ts'
import { useAddressBar } from './address-bar.ts'
import { Entry } from './devices/entry.tsx'
import type { Invitation } from './devices/invitation.ts'
import { PairThisBrowser } from './devices/pair-this-browser.tsx'
import type { Link, LinkView } from './link.ts'
import { LinkBanner } from './link-banner.tsx'
import './page.css'
import { SearchView } from './search/search-view.tsx'
import { SessionView } from './session/session-view.tsx'
import { CurrentTime } from './text/relative-time.tsx'

export interface PageProps {
  readonly link: Link
  readonly invitation: Invitation | null
  readonly clock: Clock
}

export function Page({ link, invitation, clock }: PageProps) {
  const view = useLinkView(link)
  const [isPairing, setPairing] = useState(invitation !== null)
  if (isPairing)
    return (
      <main class="alone">
        <PairThisBrowser
          invitation={invitation}
          onPaired={(token) => {
            setPairing(false)
            link.keep(token)
          }}
        />
      </main>
    )
  if (view.kind === 'outside')
    return (
      <main class="alone">
        <Entry trouble={view.trouble} revoked={view.revoked} onToken={(token) => link.enter(token)} />
      </main>
    )
  return (
    <CurrentTime clock={clock}>
      <Inside view={view} clock={clock} />
    </CurrentTime>
  )
}

function Inside({ view, clock }: { view: Extract<LinkView, { kind: 'inside' }>; clock: Clock }) {
  const bar = useAddressBar()
  const { client, state } = view
  const { open, at, query } = bar.address
  return (
    <>
      <LinkBanner client={client} state={state} clock={clock} />
      <div class={open === null ? 'rooms' : 'rooms with-session'}>
        <SearchView client={client} bar={bar} isLinked={state.kind === 'ready'} />
        {open === null ? null : (
          <SessionView
            client={client}
            open={open}
            query={query}
            at={at}
            onAt={(index) => bar.go({ at: index }, 'replace')}
            onClose={() => bar.leave({ open: null, at: null })}
          />
        )}
      </div>
    </>
  )
}

function useLinkView(link: Link): LinkView {
  const [view, setView] = useState(link.view)
  useEffect(() => {
    setView(link.view)
    return link.onChange(() => setView(link.view))
  }, [link])
  return view
}
