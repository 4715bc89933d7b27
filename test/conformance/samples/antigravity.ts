import { antigravityReader } from '../../../host-agent/transcripts/antigravity.ts'
import type { ConformanceSample } from '../sample.ts'

const id = '7d1f0000-0000-4000-8000-00000000000a'
const path = `.gemini/antigravity-cli/brain/${id}/.system_generated/logs/transcript.jsonl`
const step = (index: number, source: string, type: string, fields: object) => ({
  step_index: index,
  source,
  type,
  status: 'DONE',
  created_at: new Date(Date.UTC(2026, 5, 1, 8, 0, index)).toISOString(),
  ...fields,
})

export const antigravitySample: ConformanceSample = {
  reader: antigravityReader(),
  write(home) {
    home.write('.gemini/antigravity-cli/history.jsonl', [
      {
        display: 'Count the lanterns.',
        timestamp: 1780300800000,
        workspace: '/work/park',
        conversationId: id,
      },
    ])
    home.write(path, [
      step(0, 'USER_EXPLICIT', 'USER_INPUT', {
        content:
          '<USER_REQUEST>\nCount the lanterns.\n</USER_REQUEST>\n<USER_SETTINGS_CHANGE>not said</USER_SETTINGS_CHANGE>',
      }),
      step(1, 'SYSTEM', 'CONVERSATION_HISTORY', {}),
      step(2, 'MODEL', 'PLANNER_RESPONSE', {
        thinking: 'They hang along the path.',
        tool_calls: [{ name: 'run_command', args: { CommandLine: '"ls lanterns"' } }],
      }),
      step(3, 'MODEL', 'RUN_COMMAND', { content: 'seventeen entries listed' }),
      step(4, 'SYSTEM', 'CHECKPOINT', { content: 'A summary of the walk so far' }),
      step(5, 'MODEL', 'PLANNER_RESPONSE', { content: 'Seventeen of them burn.' }),
    ])
    return { path, appendable: true }
  },
  said: [
    'user: Count the lanterns.',
    'assistant: They hang along the path.',
    'tool: run_command: ls lanterns',
    'tool: seventeen entries listed',
    'tool: A summary of the walk so far',
    'assistant: Seventeen of them burn.',
  ],
}
