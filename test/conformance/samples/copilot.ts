import { copilotReader } from '../../../host-agent/transcripts/copilot.ts'
import { copilotEvent, copilotPath, copilotStart } from '../../helpers/copilot-events.ts'
import type { ConformanceSample } from '../sample.ts'

export const copilotSample: ConformanceSample = {
  reader: copilotReader(),
  write(home) {
    home.write(copilotPath.replace('events.jsonl', 'workspace.yaml'), 'id: x\nname: Wind mill sails\n')
    home.write(copilotPath, [
      copilotStart(),
      copilotEvent(1, 'system.message', { role: 'system', content: 'not said by anybody' }),
      copilotEvent(2, 'user.message', {
        content: 'Why do the sails stand still?',
        transformedContent: '<current_datetime>x</current_datetime>\nWhy do the sails stand still?',
      }),
      copilotEvent(3, 'assistant.reasoning', { reasoningId: 'r1', content: 'No wind, or a brake.' }),
      copilotEvent(4, 'assistant.message', {
        messageId: 'm1',
        content: 'I check the brake.',
        reasoningText: 'No wind, or a brake.',
        toolRequests: [{ toolCallId: 'c1', name: 'bash', arguments: { command: 'cat brake.log' } }],
      }),
      copilotEvent(5, 'tool.execution_start', {
        toolCallId: 'c1',
        toolName: 'bash',
        arguments: { command: 'cat brake.log' },
      }),
      copilotEvent(6, 'tool.execution_complete', {
        toolCallId: 'c1',
        success: true,
        result: { content: 'brake set' },
      }),
      copilotEvent(7, 'assistant.message', {
        messageId: 'm2',
        content: 'The brake is set – naïve pushing breaks it. 松开刹车。',
      }),
      copilotEvent(8, 'session.shutdown', { shutdownType: 'routine' }),
    ])
    return { path: copilotPath, appendable: true }
  },
  said: [
    'user: Why do the sails stand still?',
    'assistant: No wind, or a brake.',
    'assistant: I check the brake.',
    'tool: bash: cat brake.log',
    'tool: brake set',
    'assistant: The brake is set – naïve pushing breaks it. 松开刹车。',
  ],
}
