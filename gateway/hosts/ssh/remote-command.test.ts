import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultAgentCommand, quoteForShell, wrapForLoginShell } from './remote-command.ts'

/** Login shells that quote differently from one another. */
const shells = ['sh', 'bash', 'zsh', 'fish', 'csh', 'tcsh', 'nu']
const installed = shells.filter((shell) => spawnSync(shell, ['-c', 'true']).error === undefined)

describe('wrapForLoginShell', () => {
  it('leaves a plain command readable', () => {
    expect(wrapForLoginShell('trawl-agent stdio')).toBe("sh -c 'trawl-agent stdio'")
  })

  it.each(installed)('reaches sh unchanged through %s', (shell) => {
    const commands = [
      'echo plain',
      'printf "%s" "$((6*7))" ; echo " $0"',
      `printf '%s' 'it''s \\n "quoted"'`,
      'echo bang!',
      'echo one\necho two',
      "printf 'ä☃'",
    ]
    for (const command of commands) {
      const direct = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
      const wrapped = spawnSync(shell, ['-c', wrapForLoginShell(command)], { encoding: 'utf8' })
      expect(wrapped.stdout).toBe(direct.stdout)
    }
  })

  it('leaves stdin to the command', () => {
    const { stdout } = spawnSync('sh', ['-c', wrapForLoginShell("cat; printf '%s' end")], {
      input: 'asked\n',
      encoding: 'utf8',
    })
    expect(stdout).toBe('asked\nend')
  })
})

describe('defaultAgentCommand', () => {
  const older = 'Usage: trawl-agent stdio'
  const newer = 'Usage: trawl-agent stdio [--resident]'
  it.each([
    ['an older agent is started without the flag', 2, older, 0, '\ntrawl-install older-agent\nplain\n'],
    ['an agent that ends with 2 for another reason is not started twice', 2, newer, 2, ''],
    ['an agent that has lost its resident is not started twice', 75, newer, 75, ''],
    ['an agent that is not there is not looked for twice', 127, '', 127, ''],
  ])('%s', (_, code, help, expectedCode, expectedText) => {
    // A function is found before any program.
    const agent = `trawl-agent() { case "$*" in *--resident) return ${code};; --help) echo "${help}";; *) echo plain;; esac; }`
    const command = defaultAgentCommand.replace('exec trawl-agent', 'trawl-agent')
    const { status, stdout } = spawnSync('bash', ['-c', `${agent}; ${command}`], { encoding: 'utf8' })
    expect({ status, stdout }).toEqual({ status: expectedCode, stdout: expectedText })
  })

  it('needs no base64 on its way', () => {
    expect(wrapForLoginShell(defaultAgentCommand)).toBe(`sh -c '${defaultAgentCommand}'`)
  })
})

describe('quoteForShell', () => {
  it('is one word again after a shell has read it', () => {
    const word = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0'))
    fc.assert(
      fc.property(word, (word) => {
        const { stdout } = spawnSync('sh', ['-c', `printf %s ${quoteForShell(word)}`], { encoding: 'utf8' })
        expect(stdout).toBe(word)
      }),
      { numRuns: 25 },
    )
  })
})
