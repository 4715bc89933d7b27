/** The other side of pairing: this browser redeems a code and shows the digits that the owner compares. */
import { useRef, useState } from 'preact/hooks'
import { pair } from '../../client/browser.ts'
import type { Invitation } from './invitation.ts'

export interface PairThisBrowserProps {
  readonly invitation: Invitation | null
  onPaired(token: string): void
}

export function PairThisBrowser({ invitation, onPaired }: PairThisBrowserProps) {
  const name = useRef<HTMLInputElement>(null)
  const code = useRef<HTMLInputElement>(null)
  const [words, setWords] = useState('The owner of the gateway will see this name.')
  async function redeem() {
    const pin = invitation?.pin ?? null
    try {
      const { token } = await pair({
        url: location.origin,
        code: invitation?.code ?? code.current?.value.trim() ?? '',
        name: name.current?.value.trim() || 'Browser',
        kind: 'web',
        ...(pin === null ? {} : { expectedPin: pin }),
        onDigits: (digits, gatewayName) =>
          setWords(
            `Compare with the screen of ${gatewayName}, and confirm there: ${digits.slice(0, 3)} ${digits.slice(3)}`,
          ),
      })
      onPaired(token)
    } catch (error) {
      setWords(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void redeem()
      }}
    >
      <h1>Pair this browser</h1>
      {invitation === null ? (
        <label>
          Code <input ref={code} maxLength={40} autocomplete="off" />
        </label>
      ) : null}
      <label>
        Name of this device <input ref={name} maxLength={100} autocomplete="off" />
      </label>
      <button type="submit">Pair</button>
      <p role="status">{words}</p>
    </form>
  )
}
