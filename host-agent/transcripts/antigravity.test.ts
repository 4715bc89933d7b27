import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../../test/helpers/agent-home.ts'
import { foldTranscript, spoken, transcriptFile } from '../../test/helpers/fold-transcript.ts'
import { antigravityReader } from './antigravity.ts'

const laptop = fileURLToPath(new URL('../../../shared/fixtures/laptop/', import.meta.url))
const relativePath = 'ag1/.system_generated/logs/transcript.jsonl'
const path = `.gemini/antigravity-cli/brain/${relativePath}`
const historyPath = '.gemini/antigravity-cli/history.jsonl'
const promptAt = '2026-06-26T21:16:16Z'
const prompt = (content: string, fields: object = {}) => ({
  source: 'USER_EXPLICIT',
  type: 'USER_INPUT',
  created_at: promptAt,
  content,
  ...fields,
})
const read = (...records: readonly (string | object)[]) =>
  foldTranscript(antigravityReader(), transcriptFile(relativePath), records)

async function folderWith(history: readonly object[]) {
  using home = createAgentHome()
  home.write(path, [prompt('List  the files.')])
  home.write(historyPath, history)
  const [file] = (await home.read(antigravityReader())).files
  return file?.facts.cwd
}

describe('antigravityReader', () => {
  const { roots, formatOf, enters } = antigravityReader()

  it('looks into the command line’s folder and the editor’s, and knows a command for the former alone', async () => {
    expect(roots({ homeDir: '/home/dev', platform: 'linux', env: {} }).map(({ path: root }) => root)).toEqual(
      ['/home/dev/.gemini/antigravity-cli/brain', '/home/dev/.gemini/antigravity/brain'],
    )
    using home = createAgentHome()
    home.write(path, [prompt('From the command line')])
    home.write(path.replace('-cli', ''), [prompt('From the editor')])
    const { files } = await home.read(antigravityReader())
    expect(files.map(({ said, facts }) => [said[0], facts.resumeCommand])).toEqual([
      ['user: From the command line', "agy --conversation 'ag1'"],
      ['user: From the editor', null],
    ])
  })

  it('takes the transcript within a conversation’s folder, and walks nowhere else', () => {
    expect(formatOf(relativePath)?.kind).toBe('lines')
    expect(formatOf('ag1/task.md')).toBeNull()
    expect(formatOf('ag1/.system_generated/logs/overview.jsonl')).toBeNull()
    expect(enters?.('ag1/.system_generated/logs')).toBe(true)
    expect(enters?.('ag1/.tempmediaStorage')).toBe(false)
  })
})

describe('antigravity messages', () => {
  it('takes the request for a person’s words, and what tools brought back for tool text', () => {
    const whole = read(
      prompt('<USER_REQUEST>\nMend it\n</USER_REQUEST>\n<ADDITIONAL_METADATA>no</ADDITIONAL_METADATA>'),
      prompt('from the program', { source: 'SYSTEM' }),
      { source: 'MODEL', type: 'A_TOOL_YET_TO_COME', content: 'a result' },
      { source: 'SYSTEM', type: 'SYSTEM_MESSAGE', content: 'no' },
      { source: 'SYSTEM', type: 'MYSTERY', content: 'no' },
      {
        source: 'MODEL',
        type: 'PLANNER_RESPONSE',
        content: 'Mended.',
        tool_calls: [{ name: 'view_file', args: { AbsolutePath: '"/a.ts"', toolAction: '"Reading"' } }],
      },
      '{"type":',
    )
    expect(spoken(whole)).toEqual([
      'user: Mend it',
      'tool: from the program',
      'tool: a result',
      'assistant: Mended.',
      'tool: view_file: /a.ts',
    ])
    expect(whole.unread).toEqual({ badLines: 1, unknownRecords: 1 })
    expect(whole.facts).toMatchObject({
      sessionId: 'ag1',
      title: 'Mend it',
      messageCount: 2,
      resumeCommand: "agy --conversation 'ag1'",
    })
  })
})

describe('antigravity folders', () => {
  const row = (fields: object) => ({
    display: 'List the files.',
    timestamp: Date.parse(promptAt) + 1500,
    ...fields,
  })

  it('finds the folder by the conversation’s id', async () => {
    expect(
      await folderWith([
        row({ workspace: '/work/other', conversationId: 'ag2' }),
        row({ workspace: '/work/mine', conversationId: 'ag1', display: 'something else' }),
      ]),
    ).toBe('/work/mine')
  })

  it('finds it by the same words within two seconds where no row has an id', async () => {
    expect(await folderWith([row({ workspace: '/work/mine' })])).toBe('/work/mine')
    expect(
      await folderWith([row({ workspace: '/work/mine', timestamp: Date.parse(promptAt) + 2500 })]),
    ).toBeNull()
    expect(await folderWith([row({ workspace: '/work/mine', display: 'Other words' })])).toBeNull()
  })

  it('knows none where several may be it', async () => {
    expect(await folderWith([row({ workspace: '/work/a' }), row({ workspace: '/work/b' })])).toBeNull()
  })
})

describe('antigravity fixtures', () => {
  it.skipIf(!existsSync(laptop))('reads a conversation (skipped where it is absent)', async () => {
    using home = createAgentHome(laptop)
    const [file] = (await home.read(antigravityReader())).files
    expect(file).toMatchObject({
      kind: 'session',
      facts: { sessionId: 'ag1', title: 'List the files.', cwd: null, createdAtMs: Date.parse(promptAt) },
    })
    expect(file?.said.slice(0, 3)).toEqual([
      'user: List the files.',
      'assistant: Listing the directory.',
      'tool: list_dir: /tmp/repo Listing contents',
    ])
    expect(file?.facts.messageCount).toBe(4)
  })
})
