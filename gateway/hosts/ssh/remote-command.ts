/** Writes a command so that any login shell (sh, bash, zsh, fish, csh, nu) hands it to `sh` unchanged. */

/** Begins every line that is meant for the gateway; a login shell may have printed anything before it. */
export const startWordPrefix = 'trawl-install '

/** Said by a host whose own agent is from before there were resident ones, and before that agent's ready line. */
export const olderAgentWord = 'older-agent'

/**
 * What is started on an SSH host unless `ssh.agentCommand` names something else. An agent that does not know the flag
 * ends with 2, as it does for other things, before it has read anything; its help tells which it was.
 */
export const defaultAgentCommand = [
  'trawl-agent stdio --resident || { code=$?; [ $code -eq 2 ] || exit $code;',
  'case $(trawl-agent --help </dev/null 2>/dev/null) in *--resident*) exit $code;; esac;',
  `echo; echo ${startWordPrefix}${olderAgentWord}; exec trawl-agent stdio; }`,
].join(' ')

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
