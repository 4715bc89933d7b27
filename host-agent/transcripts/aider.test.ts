import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../../test/helpers/agent-home.ts'
import { aiderReader } from './aider.ts'

/** A machine five hours west of Greenwich. */
const western = (written: string) => Date.parse(`${written.replace(' ', 'T')}Z`) + 5 * 3_600_000
const path = '.aider.chat.history.md'

async function readHistory(lines: readonly string[]) {
  using home = createAgentHome()
  home.write(path, lines.join('\n'))
  const [file] = (await home.read(aiderReader(western))).files
  if (file === undefined) throw new Error('not found')
  return { ...file, homeDir: home.dir }
}

describe('aiderReader', () => {
  const { roots, formatOf, enters } = aiderReader()

  it('looks into the home itself and where the environment puts the history, never further', () => {
    const environment = { homeDir: '/home/dev', platform: 'linux', env: {} } as const
    expect(roots(environment)).toEqual([{ path: '/home/dev' }])
    const env = { AIDER_CHAT_HISTORY_FILE: '/var/chats/aider.history.md' }
    expect(roots({ ...environment, env })).toEqual([{ path: '/var/chats' }, { path: '/home/dev' }])
    const textOf = (path: string) =>
      path === '/home/dev/.aider.conf.yml'
        ? 'model: x\nchat-history-file: "/srv/chats/chat.history.md" # here\n'
        : null
    expect(roots({ ...environment, textOf })).toEqual([{ path: '/srv/chats' }, { path: '/home/dev' }])
    expect(enters?.('projects')).toBe(false)
  })

  it('takes histories by their name and no other Markdown', () => {
    expect(formatOf(path)?.kind).toBe('document')
    expect(formatOf('aider.history.md')?.kind).toBe('document')
    expect(formatOf('README.md')).toBeNull()
    expect(formatOf('.aider.input.history')).toBeNull()
    expect(formatOf('HISTORY.md')).toBeNull()
  })
})

describe('aider histories', () => {
  it('reads the local time of each run', async () => {
    const read = await readHistory([
      '# aider chat started at 2026-06-09 14:01:00',
      '#### first  ',
      'One.',
      '# aider chat started at 2026-06-10 22:30:00',
      '#### second  ',
    ])
    expect(read.times).toEqual([
      '2026-06-09T19:01:00.000Z',
      '2026-06-09T19:01:00.000Z',
      '2026-06-11T03:30:00.000Z',
    ])
    expect(read.facts).toMatchObject({
      title: 'first',
      cwd: read.homeDir,
      createdAtMs: Date.parse('2026-06-09T19:01:00Z'),
      updatedAtMs: Date.parse('2026-06-11T03:30:00Z'),
      messageCount: 3,
      resumeCommand: null,
    })
  })

  it('reads the times of this machine as its own', async () => {
    using home = createAgentHome()
    home.write(path, '# aider chat started at 2026-06-09 14:01:00\n#### hi  \n')
    const [file] = (await home.read(aiderReader())).files
    expect(file?.facts.createdAtMs).toBe(new Date(2026, 5, 9, 14, 1, 0).getTime())
  })

  it('tells what was typed from headings in a reply', async () => {
    const read = await readHistory([
      '#### plan it  ',
      '####   ',
      '#### with care  ',
      '',
      '#### Step 1',
      'Measure.',
      '',
      '#### go  ',
    ])
    expect(read.said).toEqual(['user: plan it\n\nwith care', 'assistant: #### Step 1\nMeasure.', 'user: go'])
  })

  it('takes every such line for typed where an editor took the marks away', async () => {
    const read = await readHistory(['#### plan it', '', 'Measured.', '', '#### go'])
    expect(read.said).toEqual(['user: plan it', 'assistant: Measured.', 'user: go'])
  })

  it('keeps a reply together, blank lines and all, and the program’s lines as tool text', async () => {
    const read = await readHistory([
      '#### go  ',
      '',
      'One.',
      '',
      '```',
      'code',
      '```',
      '',
      '> Applied edit to a.py  ',
      '> Commit 1a2b3c4  ',
      '',
      'Two.\r',
      '',
    ])
    expect(read.said).toEqual([
      'user: go',
      'assistant: One.\n\n```\ncode\n```',
      'tool: Applied edit to a.py\nCommit 1a2b3c4',
      'assistant: Two.',
    ])
  })

  it('knows the same file by the same id, and no folder for one that was moved', async () => {
    using home = createAgentHome()
    home.write(path, '#### a  \n')
    home.write('aider.history.md', '#### b  \n')
    const ids = async () => (await home.read(aiderReader())).files.map(({ facts }) => facts.sessionId)
    const first = await ids()
    expect(new Set(first).size).toBe(2)
    expect(await ids()).toEqual(first)
    expect((await home.read(aiderReader())).files.map(({ facts }) => facts.cwd)).toEqual([home.dir, null])
  })

  it('takes no prompt without a word for words', async () => {
    expect((await readHistory(['#### <blank>  ', '', 'Nothing to do.'])).said).toEqual([
      'assistant: Nothing to do.',
    ])
  })

  it('searches nothing in an empty history', async () => {
    expect((await readHistory(['', '# aider chat started at 2026-06-09 14:01:00', ''])).kind).toBe('none')
  })
})
