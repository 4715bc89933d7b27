import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../../test/helpers/command.ts'
import { commandTable } from './commands.ts'
import { manPage } from './man-page.ts'

const run = async (...args: string[]) => (await runCommand(args, { dataDir: '/nowhere' })).stdout

describe('the command table', () => {
  it.each(commandTable.map(({ path }) => path))(
    'makes the help of trawl %s, examples first',
    async (path) => {
      const row = commandTable.find((each) => each.path === path)
      const help = await run(...path.split(' '), '--help')
      expect(help).toMatch(new RegExp(`^Usage: trawl ${path}`))
      for (const flag of Object.keys(row?.flags ?? {})) expect(help).toContain(`--${flag}`)
      expect(help.indexOf(row?.examples[0]?.line ?? '-')).toBeLessThan(help.indexOf('\nFlags'))
      for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(104)
    },
  )

  it('makes a manual page with every command and flag', () => {
    const page = manPage('9.9.9').replaceAll('\\-', '-')
    for (const { path, flags } of commandTable) {
      expect(page).toContain(`.SS trawl ${path}\n`)
      for (const flag of Object.keys(flags)) expect(page).toContain(`.B --${flag}`)
    }
  })

  it.each([
    ['search --so', 'search', '--sort'],
    ['hosts in', 'hosts', 'invite'],
    ['hosts add --la', 'hosts', '--label'],
    ['search --sort n', 'search', 'newest'],
    ['doc', '', 'doctor'],
  ])('completes trawl %s in bash', async (line, _command, wanted) => {
    const script = await run('completions', 'bash')
    const words = ['trawl', ...line.split(' ')]
    const ask = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _trawl; echo "\${COMPREPLY[@]}"`
    const told = spawnSync('bash', ['-c', `${script}\n${ask}`], { encoding: 'utf8' })
    expect(told.stderr).toBe('')
    expect(told.stdout.trim().split(' ')).toEqual([wanted])
  })
})
