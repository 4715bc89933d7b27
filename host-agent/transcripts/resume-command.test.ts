import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resumeCommand, shellOfPath } from './resume-command.ts'

const claude = { invocation: 'claude --resume', sessionId: 'claude-session', shell: 'posix' } as const
const codex = { invocation: 'codex resume', sessionId: 's-1', shell: 'posix' } as const

describe('resumeCommand', () => {
  it('changes to the folder where the session began', () => {
    expect(resumeCommand({ ...claude, cwd: '/tmp/claude' })).toBe(
      "cd '/tmp/claude' && claude --resume 'claude-session'",
    )
  })

  it('has no cd without a folder', () => {
    expect(resumeCommand({ ...claude, cwd: null })).toBe("claude --resume 'claude-session'")
  })

  it('carries a Codex home that is not the default', () => {
    expect(resumeCommand({ ...codex, cwd: '/w', codexHome: '/opt/my codex' })).toBe(
      "cd '/w' && CODEX_HOME='/opt/my codex' codex resume 's-1'",
    )
  })

  it('quotes for cmd.exe on Windows', () => {
    const windows = { ...codex, shell: 'windows', cwd: 'C:\\My Work' } as const
    expect(resumeCommand(windows)).toBe('cmd /d /s /c "cd /d ""C:\\My Work"" && codex resume ""s-1"""')
    expect(resumeCommand({ ...windows, codexHome: 'D:\\codex' })).toBe(
      'cmd /d /s /c "cd /d ""C:\\My Work"" && set ""CODEX_HOME=D:\\codex"" && codex resume ""s-1"""',
    )
  })

  it('puts nothing between an equals sign and the id', () => {
    const copilot = { invocation: 'copilot --resume=', sessionId: 's-1', cwd: null } as const
    expect(resumeCommand({ ...copilot, shell: 'posix' })).toBe("copilot --resume='s-1'")
    expect(resumeCommand({ ...copilot, shell: 'windows' })).toBe('cmd /d /s /c "copilot --resume=""s-1"""')
  })

  it('gives none where a part cannot be given safely', () => {
    expect(resumeCommand({ ...claude, cwd: null, sessionId: '--dangerous' })).toBeNull()
    expect(resumeCommand({ ...claude, cwd: null, sessionId: '' })).toBeNull()
    expect(resumeCommand({ ...claude, cwd: '/a\nrm -rf b' })).toBeNull()
    expect(resumeCommand({ ...claude, shell: 'windows', cwd: 'C:\\a" & calc' })).toBeNull()
    expect(resumeCommand({ ...claude, shell: 'windows', cwd: 'C:\\%TEMP%' })).toBeNull()
  })

  it.skipIf(process.platform === 'win32')('comes through a POSIX shell as it was given', () => {
    const odd = fc.string({ unit: fc.constantFrom(...`a'"\\$\`!*;&|<>() é`), minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(odd, (sessionId) => {
        const command = resumeCommand({ invocation: 'printf %s', sessionId, cwd: tmpdir(), shell: 'posix' })
        expect(command).not.toBeNull()
        expect(execFileSync('sh', ['-c', command ?? '']).toString()).toBe(sessionId)
      }),
      { numRuns: 25 },
    )
  })
})

describe('shellOfPath', () => {
  it('tells the system from a path', () => {
    expect(shellOfPath('/home/dev/x.jsonl')).toBe('posix')
    expect(shellOfPath('C:\\Users\\dev\\x.jsonl')).toBe('windows')
    expect(shellOfPath('\\\\server\\share\\x.jsonl')).toBe('windows')
  })
})
