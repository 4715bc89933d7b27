/** Puts the page into its place. */
import { render } from 'preact'
import { systemClock } from '../../protocol/clock.ts'
import { readInvitation } from './devices/invitation.ts'
import { createLink } from './link.ts'
import { Page } from './page.tsx'

const place = document.getElementById('page')
const invitation = readInvitation(location.hash)
// A code is good once, and nobody's to read in the address bar or the history.
if (invitation !== null) history.replaceState(null, '', location.pathname)
const link = createLink({
  url: location.origin.replace(/^http/, 'ws'),
  tabStore: sessionStorage,
  browserStore: localStorage,
})
if (place !== null) render(<Page link={link} invitation={invitation} clock={systemClock} />, place)
