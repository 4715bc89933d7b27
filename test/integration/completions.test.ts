/** Completions in the shells themselves, and the manual page as its readers see it; both made from the command table. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandTable, commonFlagRows } from '../../gateway/cli/commands.ts'
import { repositoryRoot } from '../helpers/bundle.ts'
import { gatewayProgram, whyNoBuild } from '../helpers/real-hosts.ts'
import { openTestTerminal, whyNoTerminal } from '../helpers/terminal.ts'

const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
const trawl = (...args: readonly string[]) =>
  execFileSync(process.execPath, [gatewayProgram, ...args], { encoding: 'utf8' })

/** What is typed before Tab, and what the line has become afterwards. */
const wanted: readonly [string, string][] = [
  ['trawl doc', 'trawl doctor'],
  ['trawl search --so', 'trawl search --sort'],
  ['trawl search --sort n', 'trawl search --sort newest'],
  ['trawl hosts inv', 'trawl hosts invite'],
  ['trawl hosts add --lab', 'trawl hosts add --label'],
  ['trawl hosts add --client op', 'trawl hosts add --client openssh'],
  ['trawl service unins', 'trawl service uninstall'],
  ['trawl completions z', 'trawl completions zsh'],
  ['trawl search x --host lo', 'trawl search x --host local'],
  ['trawl search --path uncom', 'trawl search --path uncommon-folder'],
  ['trawl hosts add --config-file uncommon-fi', 'trawl hosts add --config-file uncommon-file'],
]

describe.skipIf(whyNoBuild() !== null)('trawl completions', () => {
  let dir: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'trawl-completions-'))
    for (const shell of ['bash', 'zsh', 'fish'])
      await writeFile(join(dir, `trawl.${shell}`), trawl('completions', shell))
    execFileSync('mkdir', [join(dir, 'uncommon-folder')])
    await writeFile(join(dir, 'uncommon-file'), '')
  })
  afterAll(async () => await rm(dir, { recursive: true, force: true }))
  const env = () => ({ PATH: process.env.PATH, HOME: dir, TERM: 'screen', LANG: 'C.UTF-8' })

  const shells: readonly [string, string][] = [
    ['bash', "PS1='% ' exec bash --norc --noprofile -i"],
    ['zsh', "PS1='%# ' exec zsh -f -i"],
  ]
  const setUp: Readonly<Record<string, string>> = {
    bash: 'source ./trawl.bash',
    zsh: 'autoload -U compinit && compinit -u -D && source ./trawl.zsh',
  }
  for (const [shell, start] of shells)
    it.skipIf(!has(shell) || whyNoTerminal() !== null)(`completes at the prompt of ${shell}`, async () => {
      await using terminal = await openTestTerminal(`cd '${dir}'; clear; ${start}`, env())
      await terminal.press('-l', `${setUp[shell]} && echo is-$((40 + 2))-ready`)
      await terminal.press('Enter')
      await terminal.until(/is-42-ready/)
      for (const [typed, line] of wanted) {
        await terminal.press('C-l')
        await terminal.press('-l', typed)
        await terminal.press('Tab')
        // A unique completion ends with a blank, or a folder's slash.
        await terminal.until(new RegExp(`^\\S* ${line}/? *$`, 'm'))
        await terminal.press('C-u')
      }
    })

  it.skipIf(!has('fish'))('completes in fish', () => {
    for (const [typed, line] of wanted) {
      const told = spawnSync(
        'fish',
        ['--no-config', '-c', 'source trawl.fish; complete -C $argv[1]', '--', typed],
        {
          cwd: dir,
          env: env(),
          encoding: 'utf8',
        },
      )
      const words = told.stdout.split('\n').flatMap((row) => row.split('\t')[0] || [])
      const last = line.split(' ').at(-1)
      expect([typed, words.map((word) => word.replace(/\/$/, ''))]).toEqual([typed, [last]])
    }
  })

  it.skipIf(!has('fish'))('knows every command and flag in fish, each with its words', () => {
    const ask = (typed: string) =>
      spawnSync('fish', ['--no-config', '-c', 'source trawl.fish; complete -C $argv[1]', '--', typed], {
        cwd: dir,
        env: env(),
        encoding: 'utf8',
      }).stdout.split('\n')
    for (const { path, flags } of commandTable) {
      const offered = ask(`trawl ${path} --`)
      for (const [flag, { text }] of Object.entries({ ...flags, ...commonFlagRows }))
        expect(offered).toContain(`--${flag}\t${text}`)
      expect(offered.filter((row) => row !== '')).toHaveLength(
        Object.keys({ ...flags, ...commonFlagRows }).length,
      )
    }
  })
})

describe.skipIf(whyNoBuild() !== null)('the manual page', () => {
  const file = join(repositoryRoot, 'dist/man/trawl.1')

  it('is written by the build, and named in the package', () => {
    expect(readFileSync(file, 'utf8')).toBe(trawl('man'))
    const { man } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'))
    expect(man).toEqual(['dist/man/trawl.1'])
  })

  it.skipIf(!has('mandoc'))('has nothing that mandoc finds fault with, but that it has no date', () => {
    const told = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', file], { encoding: 'utf8' })
    expect(told.stdout.split('\n').filter((line) => line !== '' && !line.includes('missing date'))).toEqual(
      [],
    )
  })

  it.skipIf(!has('mandoc'))('shows every command, flag, example and exit code', () => {
    const shown = execFileSync('mandoc', ['-T', 'utf8', '-O', 'width=200', file], { encoding: 'utf8' })
      // Bold is a letter struck twice, underlined one above a line.
      .replaceAll(/.\u0008/gu, '')
      .replaceAll(/\s+/g, ' ')
    for (const { path, flags, examples, exits = {} } of commandTable) {
      expect(shown).toContain(` trawl ${path} `)
      for (const [flag, { text }] of Object.entries(flags)) {
        expect(shown).toContain(` --${flag} `)
        expect(shown).toContain(text.replaceAll(/\s+/g, ' '))
      }
      for (const { line } of examples) expect(shown).toContain(line.replaceAll(/\s+/g, ' '))
      for (const [code, meaning] of Object.entries(exits)) expect(shown).toContain(`${code} ${meaning}`)
    }
  })
})
