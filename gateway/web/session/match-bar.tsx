/** Which match is looked at, and the way to the next and the one before. */

export interface MatchBarProps {
  readonly words: string
  readonly isNone: boolean
  onStep(step: 1 | -1): void
}

export function MatchBar({ words, isNone, onStep }: MatchBarProps) {
  return (
    <footer class="match-bar">
      <button
        type="button"
        aria-label="Previous match"
        title="Previous match (p)"
        disabled={isNone}
        onClick={() => onStep(-1)}
      >
        ‹
      </button>
      <span role="status">{words}</span>
      <button
        type="button"
        aria-label="Next match"
        title="Next match (n)"
        disabled={isNone}
        onClick={() => onStep(1)}
      >
        ›
      </button>
    </footer>
  )
}
