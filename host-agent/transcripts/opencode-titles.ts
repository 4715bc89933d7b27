/** The titles OpenCode and its kin give their sessions. */

/** The session's title, null for the placeholder that stands until the first words have been understood. */
export function ownTitle(title: unknown): string | null {
  return typeof title === 'string' && title.trim() !== '' && !placeholder.test(title) ? title : null
}

/** The agent titles a fork after the session it was made from. */
export function isForkTitle(title: unknown): boolean {
  return typeof title === 'string' && fork.test(title)
}

const placeholder = /^(?:New|Child) session - \d{4}-\d\d-\d\d/
const fork = /\(fork #\d+\)$/
