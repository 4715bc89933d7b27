import { copilotChatReader } from '../../../host-agent/transcripts/copilot-chat.ts'
import type { ConformanceSample } from '../sample.ts'

const storage = '.config/Code/User/workspaceStorage/0123456789abcdef'
const id = '6f000000-0000-4000-8000-000000000012'
const path = `${storage}/chatSessions/${id}.jsonl`

const asked = (text: string, second: number) => ({
  requestId: `request_${second}`,
  timestamp: 1780800000000 + second * 1000,
  message: { text, parts: [] },
  response: [],
})
const log = [
  { kind: 0, v: { version: 3, sessionId: id, creationDate: 1780800000000, requests: [] } },
  { kind: 2, k: ['requests'], v: [asked('Label the butterflies.', 1)] },
  { kind: 2, k: ['requests', 0, 'response'], v: [{ kind: 'thinking', value: 'There are many kinds.' }] },
  {
    kind: 2,
    k: ['requests', 0, 'response'],
    v: [
      {
        kind: 'toolInvocationSerialized',
        toolId: 'run_in_terminal',
        toolSpecificData: { kind: 'terminal', commandLine: { original: 'ls butterflies' } },
        resultDetails: { input: '', output: [{ isText: true, value: 'swallowtail.png brimstone.png' }] },
      },
      { value: 'Two kinds: ' },
    ],
  },
  {
    kind: 2,
    k: ['requests', 0, 'response'],
    v: [
      { value: 'Two kinds, see ' },
      { kind: 'inlineReference', name: 'wings.md', inlineReference: { path: '/work/meadow/wings.md' } },
      { value: ' for them.' },
    ],
    i: 2,
  },
  { kind: 1, k: ['customTitle'], v: 'Butterflies' },
]

const said = [
  'user: Label the butterflies.',
  'assistant: There are many kinds.',
  'tool: run_in_terminal: ls butterflies',
  'tool: swallowtail.png brimstone.png',
  'assistant: Two kinds, see wings.md for them.',
]

export const copilotChatSample: ConformanceSample = {
  reader: copilotChatReader(),
  write(home) {
    home.write(`${storage}/workspace.json`, { folder: 'file:///work/meadow' })
    home.write(path, log)
    return { path, appendable: false }
  },
  said,
  edit: (home) =>
    void home.write(path, [...log, { kind: 2, k: ['requests'], v: [asked('And the moths?', 2)] }]),
  saidAfter: [...said, 'user: And the moths?'],
}
