/** The command with which a person goes on with a session, as it is stored when the session is indexed. */

export interface ResumeParts {
  /** The words before the session's id, nothing in them to quote: `claude --resume`, `copilot --resume=`. */
  readonly invocation: string
  readonly sessionId: string
  /** Where the agent was started; without it there is no `cd`. */
  readonly cwd: string | null
  /** Codex only, and only for a home that is not the default. */
  readonly codexHome?: string
  /** The shell to quote for: `windows` is cmd.exe. */
  readonly shell: 'posix' | 'windows'
}

/**
 * `cd '<cwd>' && CODEX_HOME='<home>' codex resume '<id>'`, or the same for cmd.exe.
 * Null where a part cannot be given safely: an id that reads as an option, control characters, and in cmd.exe
 * quotes and percent signs, which nothing escapes there. (Contract: built here and stored, never at query time.)
 */
export function resumeCommand(parts: ResumeParts): string | null {
  const values = [parts.sessionId, parts.cwd ?? '', parts.codexHome ?? '']
  if (parts.sessionId === '' || parts.sessionId.startsWith('-')) return null
  if (values.some((value) => controlCharacter.test(value))) return null
  if (parts.shell === 'posix') return posixCommand(parts)
  return values.some((value) => unsafeInCmd.test(value)) ? null : windowsCommand(parts)
}

/** Which shell a path of this machine belongs to. */
export function shellOfPath(path: string): 'posix' | 'windows' {
  return /^(?:[a-z]:[\\/]|\\\\)/i.test(path) ? 'windows' : 'posix'
}

const controlCharacter = /[\u0000-\u001f\u007f]/
const unsafeInCmd = /["%]/

function posixCommand({ invocation, sessionId, cwd, codexHome }: ResumeParts): string {
  const change = cwd === null ? '' : `cd ${posixQuote(cwd)} && `
  const home = codexHome === undefined ? '' : `CODEX_HOME=${posixQuote(codexHome)} `
  return `${change}${home}${beforeId(invocation)}${posixQuote(sessionId)}`
}

/** An option written with `=` has its value right behind it. */
function beforeId(invocation: string): string {
  return invocation.endsWith('=') ? invocation : `${invocation} `
}

function posixQuote(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`
}

// `/d` runs no AutoRun command, `/s` takes exactly the outer quotes off; inner ones are doubled.
function windowsCommand({ invocation, sessionId, cwd, codexHome }: ResumeParts): string {
  const change = cwd === null ? '' : `cd /d ""${cwd}"" && `
  const home = codexHome === undefined ? '' : `set ""CODEX_HOME=${codexHome}"" && `
  return `cmd /d /s /c "${change}${home}${beforeId(invocation)}""${sessionId}"""`
}
