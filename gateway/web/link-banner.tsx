/** Says that the gateway is away, and what happens next; nothing while all is well. */
import { useEffect, useState } from 'preact/hooks'
import type { Clock } from '../../protocol/clock.ts'
import type { LinkState, TrawlClient } from '../client/browser.ts'
import { sayDuration } from '../words/say-time.ts'

export interface LinkBannerProps {
  readonly client: TrawlClient
  readonly state: LinkState
  readonly clock: Clock
}

export function LinkBanner({ client, state, clock }: LinkBannerProps) {
  // The network is back: there is nothing to wait for.
  useEffect(() => {
    const retry = () => client.retryNow()
    addEventListener('online', retry)
    return () => removeEventListener('online', retry)
  }, [client])
  const isAway = state.kind === 'offline'
  return (
    <div class="link-banner" role="status" hidden={!isAway}>
      {isAway ? (
        <>
          <span>
            The gateway is away. What was found stays here; <Retry at={state.retryAtMs} clock={clock} />
          </span>
          <button type="button" onClick={() => client.retryNow()} disabled={state.retryAtMs === null}>
            Retry now
          </button>
        </>
      ) : null}
    </div>
  )
}

/** The seconds are for eyes alone; read aloud they would never end. */
function Retry({ at, clock }: { readonly at: number | null; readonly clock: Clock }) {
  const [nowMs, setNowMs] = useState(() => clock.now())
  useEffect(() => {
    setNowMs(clock.now())
    const timer = setInterval(() => setNowMs(clock.now()), 1000)
    return () => clearInterval(timer)
  }, [at, clock])
  if (at === null) return <>it is being tried again.</>
  return (
    <>
      it is tried again<span aria-hidden="true"> in {sayDuration(Math.max(1000, at - nowMs))}</span>.
    </>
  )
}
