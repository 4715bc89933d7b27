import { rooReader } from '../../../host-agent/transcripts/roo.ts'
import type { ConformanceSample } from '../sample.ts'

const folder =
  '.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/0198f000-0000-7000-8000-00000000000d'
const path = `${folder}/ui_messages.json`
const say = (second: number, kind: string, text: string) => ({
  ts: 1780400000000 + second * 1000,
  type: 'say',
  say: kind,
  text,
})
const ask = (second: number, kind: string, text: string) => ({
  ts: 1780400000000 + second * 1000,
  type: 'ask',
  ask: kind,
  text,
})

const messages = [
  say(0, 'text', 'Repair the greenhouse door.'),
  say(1, 'api_req_started', '{"request":"not said"}'),
  say(2, 'reasoning', 'The hinge is likely worn.'),
  ask(3, 'tool', '{"tool":"readFile","path":"hinge.md","content":"hinge.md"}'),
  ask(4, 'command', 'oil --hinge'),
  say(5, 'command_output', 'one drop was enough'),
  ask(6, 'followup', '{"question":"Shall I paint it green?","suggest":[{"answer":"Rather blue"}]}'),
  say(7, 'user_feedback', 'Leave the colour alone.'),
  say(8, 'completion_result', 'The door swings freely.'),
  ask(9, 'completion_result', ''),
]

const said = [
  'user: Repair the greenhouse door.',
  'assistant: The hinge is likely worn.',
  'tool: readFile: hinge.md',
  'tool: command: oil --hinge',
  'tool: one drop was enough',
  'assistant: Shall I paint it green?\nRather blue',
  'user: Leave the colour alone.',
  'assistant: The door swings freely.',
]

export const rooSample: ConformanceSample = {
  reader: rooReader(),
  write(home) {
    home.write(`${folder}/history_item.json`, {
      id: '0198f000-0000-7000-8000-00000000000d',
      number: 1,
      ts: 1780400009000,
      task: 'Repair the greenhouse door.',
      workspace: '/work/greenhouse',
    })
    home.write(path, JSON.stringify(messages))
    return { path, appendable: false }
  },
  said,
  edit: (home) =>
    void home.write(path, JSON.stringify([...messages, say(10, 'user_feedback', 'Close it at night.')])),
  saidAfter: [...said, 'user: Close it at night.'],
}
