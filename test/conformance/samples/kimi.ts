import { kimiReader } from '../../../host-agent/transcripts/kimi.ts'
import type { ConformanceSample } from '../sample.ts'

const folder = '.kimi-code/sessions/wd_vineyard_0011/session_0000000e'
const path = `${folder}/agents/main/wire.jsonl`
const at = (second: number) => 1780500000000 + second * 1000
const message = (second: number, text: string, origin: object = { kind: 'user' }) => ({
  type: 'context.append_message',
  message: { role: 'user', content: [{ type: 'text', text }], toolCalls: [], origin },
  time: at(second),
})
const event = (second: number, fields: object) => ({
  type: 'context.append_loop_event',
  event: fields,
  time: at(second),
})

const records = [
  { type: 'metadata', protocol_version: '1.4', created_at: at(0) },
  {
    type: 'turn.prompt',
    input: [{ type: 'text', text: 'When is the harvest?' }],
    origin: { kind: 'user' },
    time: at(1),
  },
  message(1, 'When is the harvest?'),
  message(1, '<system-reminder>not said</system-reminder>', { kind: 'injection', variant: 'todo' }),
  event(2, { type: 'step.begin', uuid: 's1', step: 1 }),
  event(3, { type: 'content.part', stepUuid: 's1', part: { type: 'think', think: 'The diary has dates.' } }),
  event(3, { type: 'content.part', stepUuid: 's1', part: { type: 'text', text: 'I open the diary.' } }),
  event(4, { type: 'tool.call', name: 'Bash', toolCallId: 'b1', args: { command: 'cat diary' } }),
  event(5, { type: 'tool.result', toolCallId: 'b1', result: { output: 'grapes ripe by late September' } }),
  event(6, { type: 'step.end', uuid: 's1' }),
  message(7, 'A prompt that is undone'),
  event(8, { type: 'content.part', stepUuid: 's2', part: { type: 'text', text: 'undone as well' } }),
  { type: 'context.undo', count: 1, time: at(9) },
  { type: 'context.apply_compaction', summary: 'Of the vineyard so far', compactedCount: 4, time: at(10) },
  event(11, { type: 'content.part', stepUuid: 's3', part: { type: 'text', text: 'Within three weeks.' } }),
]

const said = [
  'user: When is the harvest?',
  'assistant: The diary has dates.\nI open the diary.',
  'tool: Bash: cat diary',
  'tool: grapes ripe by late September',
  'tool: Of the vineyard so far',
  'assistant: Within three weeks.',
]

export const kimiSample: ConformanceSample = {
  reader: kimiReader(),
  write(home) {
    home.write(`${folder}/state.json`, {
      title: 'Harvest',
      workDir: '/work/vineyard',
      agents: { main: { type: 'main', parentAgentId: null } },
    })
    home.write(path, records)
    return { path, appendable: false }
  },
  said,
  edit: (home) => void home.write(path, [...records, message(12, 'Order the baskets.')]),
  saidAfter: [...said, 'user: Order the baskets.'],
}
