/** Writes a command so that any login shell (sh, bash, zsh, fish, csh, nu) hands it to `sh` unchanged. */

/** What is started on an SSH host unless `ssh.agentCommand` names something else. */
export const defaultAgentCommand = 'trawl-agent stdio --resident'

/**
 * sshd gives the command to the user's login shell, whatever that is. Single quotes without a quote, backslash,
 * exclamation mark or line end inside mean the same to all of them; any other command travels in base64.
 */
export function wrapForLoginShell(command: string): string {
  if (/^[^'\\!\r\n\0]*$/.test(command)) return `sh -c '${command}'`
  const encoded = Buffer.from(command, 'utf8').toString('base64')
  return `sh -c 'eval "$(printf %s ${encoded} | base64 -d)"'`
}

/** One word for a POSIX shell; plain words stay as they are. */
export function quoteForShell(word: string): string {
  return /^[\w@%+:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
