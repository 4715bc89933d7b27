/** The way in for a browser that has no token, or none that is good. */
import { useRef } from 'preact/hooks'

export interface EntryProps {
  readonly trouble: string | null
  /** The token it had is not good any more. */
  readonly revoked: boolean
  onToken(token: string): void
}

export function Entry({ trouble, revoked, onToken }: EntryProps) {
  const field = useRef<HTMLInputElement>(null)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onToken(field.current?.value.trim() ?? '')
      }}
    >
      <h1>Trawl</h1>
      <label>
        Token of this machine <input ref={field} type="password" autocomplete="off" />
      </label>
      <button type="submit">Enter</button>
      <p role="status">
        {revoked
          ? 'This token is good no more. Give another.'
          : (trouble ?? 'It is in the file "token" of the data directory on the gateway\'s machine.')}
      </p>
    </form>
  )
}
