/** A trouble and its remedy, said at once. */
import type { Trouble } from './session-trouble.ts'

export function TroubleNote({ trouble, onAgain }: { readonly trouble: Trouble; onAgain(): void }) {
  return (
    <div class="session-state" role="alert">
      <p>{trouble.sentence}</p>
      {trouble.remedy === null ? null : (
        <button type="button" onClick={onAgain}>
          {trouble.remedy === 'anew' ? 'Read it anew' : 'Try again'}
        </button>
      )}
    </div>
  )
}
