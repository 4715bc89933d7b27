import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../../test/helpers/agent-home.ts'
import { foldTranscript, spoken, transcriptFile } from '../../test/helpers/fold-transcript.ts'
import { kiroReader } from './kiro.ts'

const folder = '.kiro/sessions/cli'
const entry = (kind: string, ...content: readonly object[]) => ({ version: 'v1', kind, data: { content } })
const text = (data: string) => ({ kind: 'text', data })

describe('kiroReader', () => {
  const { roots, formatOf } = kiroReader()

  it('looks in the home that the environment names, and takes the logs alone', () => {
    const environment = { homeDir: '/home/dev', platform: 'linux', env: {} } as const
    expect(roots(environment)).toEqual([{ path: '/home/dev/.kiro/sessions/cli' }])
    expect(roots({ ...environment, env: { KIRO_HOME: '/k' } })).toEqual([{ path: '/k/sessions/cli' }])
    expect(formatOf('a.jsonl')?.kind).toBe('lines')
    expect(formatOf('a.json')).toBeNull()
    expect(formatOf('a.lock')).toBeNull()
  })
})

describe('kiro messages', () => {
  const read = (...records: readonly (string | object)[]) =>
    foldTranscript(kiroReader(), transcriptFile('k1.jsonl'), records)

  it('reads prompts, replies, calls and results, also where a block holds an object', () => {
    const whole = read(
      {
        version: 'v1',
        kind: 'Prompt',
        data: { content: [text('Go'), { kind: 'image', data: {} }], meta: { timestamp: 1784869360 } },
      },
      entry('AssistantMessage', { kind: 'thinking', data: { text: 'hm' } }, text('I go'), {
        kind: 'toolUse',
        data: { name: 'shell', input: { command: 'ls' } },
      }),
      entry(
        'ToolResults',
        {
          kind: 'toolResult',
          data: { content: [{ kind: 'json', data: { exit_status: '1', stdout: 'out', stderr: 'err' } }] },
        },
        { kind: 'toolResult', data: { content: [text('plain')] } },
      ),
      { version: 'v1', kind: 'Clear', data: null },
      { version: 'v1', kind: 'Later', data: {} },
      '{torn',
    )
    expect(spoken(whole)).toEqual([
      'user: Go',
      'assistant: hm\nI go',
      'tool: shell: ls',
      'tool: out\nerr',
      'tool: plain',
    ])
    expect(whole.messages[0]?.timestampMs).toBe(1784869360000)
    expect(whole.unread).toEqual({ badLines: 1, unknownRecords: 1 })
  })
})

describe('kiro sessions', () => {
  it('takes title, folder and times from the manifest', async () => {
    using home = createAgentHome()
    home.write(`${folder}/k1.jsonl`, [entry('Prompt', text('Hello'))])
    const plain = (await home.read(kiroReader())).files[0]
    expect(plain?.facts).toMatchObject({ sessionId: 'k1', title: 'Hello', cwd: null })
    home.write(`${folder}/k1.json`, {
      session_id: 'k1',
      title: 'Greeting',
      cwd: '/work/app',
      updated_at: '2026-01-02T03:04:05Z',
    })
    const named = (await home.read(kiroReader())).files[0]
    expect(named?.facts).toMatchObject({
      title: 'Greeting',
      cwd: '/work/app',
      updatedAtMs: Date.parse('2026-01-02T03:04:05Z'),
      resumeCommand: null,
    })
  })

  it('gives a called session to the first of those that led to it', async () => {
    using home = createAgentHome()
    home.write(`${folder}/middle.json`, { session_id: 'middle', parent_session_id: 'root' })
    home.write(`${folder}/child.json`, { session_id: 'child', parent_session_id: 'middle' })
    home.write(`${folder}/child.jsonl`, [entry('Prompt', text('Count'))])
    const [child] = (await home.read(kiroReader())).files
    expect(child).toMatchObject({ kind: 'part', said: ['assistant: Count'], facts: { sessionId: 'root' } })
  })

  it('comes to an end where manifests name each other, and reads none outside its folder', async () => {
    using home = createAgentHome()
    home.write(`${folder}/a.json`, { session_id: 'a', parent_session_id: 'b' })
    home.write(`${folder}/b.json`, { session_id: 'b', parent_session_id: 'a' })
    home.write(`${folder}/a.jsonl`, [entry('Prompt', text('Round'))])
    home.write('.kiro/secret.json', { parent_session_id: 'stolen' })
    home.write(`${folder}/c.json`, { session_id: 'c', parent_session_id: '../../secret' })
    home.write(`${folder}/c.jsonl`, [entry('Prompt', text('Out'))])
    const { files } = await home.read(kiroReader())
    expect(files.map(({ facts }) => facts.sessionId)).toEqual(['a', '../../secret'])
  })
})
