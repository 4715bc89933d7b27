import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../../test/helpers/agent-home.ts'
import { rovoReader } from './rovo.ts'

const folder = '.rovodev/sessions/r1'

async function readContext(context: unknown, metadata?: unknown) {
  using home = createAgentHome()
  home.write(`${folder}/session_context.json`, context)
  if (metadata !== undefined) home.write(`${folder}/metadata.json`, metadata)
  const [file] = (await home.read(rovoReader())).files
  if (file === undefined) throw new Error('not found')
  return file
}

describe('rovoReader', () => {
  const { roots, formatOf, enters } = rovoReader()

  it('takes the context of a session alone', () => {
    expect(roots({ homeDir: '/home/dev', platform: 'linux', env: {} })).toEqual([
      { path: '/home/dev/.rovodev/sessions' },
    ])
    const rootsWith = (config: string) =>
      roots({
        homeDir: '/home/dev',
        platform: 'linux',
        env: {},
        textOf: (path) => (path === '/home/dev/.rovodev/config.yml' ? config : null),
      })
    expect(rootsWith('sessions:\n  persistenceDir: "~/rovo"\n')).toEqual([{ path: '/home/dev/rovo' }])
    expect(rootsWith('sessions:\n  persistenceDir: /srv/rovo # moved\n')).toEqual([{ path: '/srv/rovo' }])
    expect(rootsWith('sessions:\n  persistenceDir: rovo\n')).toEqual([
      { path: '/home/dev/.rovodev/sessions' },
    ])
    expect(formatOf('r1/session_context.json')?.kind).toBe('document')
    expect(formatOf('r1/metadata.json')).toBeNull()
    expect(enters?.('r1')).toBe(true)
    expect(enters?.('r1/snapshots')).toBe(false)
  })

  it('[index.text-in-full] reads texts in full, joins one response, and keeps prompts of the program out of the words', async () => {
    const long = 'word '.repeat(500).trim()
    const read = await readContext({
      message_history: [
        {
          kind: 'request',
          parts: [
            { part_kind: 'system-prompt', content: 'no' },
            {
              part_kind: 'user-prompt',
              content: [long, { url: 'image' }],
              timestamp: '2026-01-02T03:04:05Z',
            },
            { part_kind: 'user-prompt', content: 'You have used 3 iterations.' },
            { part_kind: 'user-prompt', content: '<system_reminder>no</system_reminder>' },
          ],
        },
        {
          kind: 'response',
          timestamp: '2026-01-02T03:04:09Z',
          parts: [
            { part_kind: 'thinking', content: 'hm' },
            { part_kind: 'text', content: long },
            { part_kind: 'tool-call', tool_name: 'bash', args: { command: 'ls' } },
            { part_kind: 'text', content: 'after' },
          ],
        },
        {
          kind: 'request',
          parts: [{ part_kind: 'tool-return', content: { output: 'a b' } }, { part_kind: 'odd' }],
        },
        'torn',
      ],
    })
    expect(read.said).toEqual([
      `user: ${long}`,
      'tool: You have used 3 iterations.',
      `assistant: hm\n${long}`,
      'tool: bash: ls',
      'assistant: after',
      'tool: a b',
    ])
    expect(read.times[0]).toBe('2026-01-02T03:04:05.000Z')
    expect(read.unread).toEqual({ badLines: 1, unknownRecords: 1 })
    expect(read.facts.messageCount).toBe(3)
  })

  it('reads the plain messages of other versions', async () => {
    const read = await readContext({
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
        { role: 'system', content: 'no' },
      ],
    })
    expect(read.said).toEqual(['user: Hi', 'assistant: Hello'])
  })

  it.each([['workspace_path'], ['workspacePath'], ['cwd'], ['working_directory']])(
    'takes title and folder from the manifest, the latter by %s',
    async (key) => {
      const context = { messages: [{ role: 'user', content: 'Hi' }] }
      const { facts } = await readContext(context, { title: 'Greeting', [key]: '/work/app' })
      expect(facts).toMatchObject({
        sessionId: 'r1',
        title: 'Greeting',
        cwd: '/work/app',
        resumeCommand: "cd '/work/app' && acli rovodev run --restore 'r1'",
      })
    },
  )

  it('does without a manifest, and with one that is torn', async () => {
    const context = { messages: [{ role: 'user', content: 'Hi' }] }
    expect((await readContext(context)).facts).toMatchObject({ title: 'Hi', cwd: null })
    expect((await readContext(context, '{"title":')).facts).toMatchObject({ title: 'Hi', cwd: null })
  })

  it('fails a document that is cut short', async () => {
    using home = createAgentHome()
    home.write(`${folder}/session_context.json`, '{"message_history":[{')
    expect(Object.values((await home.read(rovoReader())).failures)).toEqual([
      'The document is not complete JSON.',
    ])
  })
})
