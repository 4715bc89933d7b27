/** Events of Copilot's command line, for the tests of its reader. */
export const copilotId = '6e1a0000-0000-4000-8000-000000000001'
export const copilotPath = `.copilot/session-state/${copilotId}/events.jsonl`
export const copilotStartMs = Date.UTC(2026, 2, 4, 10)

export const copilotEvent = (second: number, type: string, data: object = {}, fields: object = {}) => ({
  type,
  data,
  id: `v${second}`,
  parentId: second === 0 ? null : `v${second - 1}`,
  timestamp: new Date(copilotStartMs + second * 1000).toISOString(),
  ...fields,
})

export const copilotStart = (context: object = { cwd: '/home/dev/app', branch: 'main' }) =>
  copilotEvent(0, 'session.start', {
    sessionId: copilotId,
    startTime: new Date(copilotStartMs).toISOString(),
    context,
  })
