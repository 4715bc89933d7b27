/** Records of Qwen Code, for the tests of its reader. */
export const qwenId = '0195f0aa-0000-7000-8000-0000000000c1'
export const qwenPath = `.qwen/projects/-home-dev-app/chats/${qwenId}.jsonl`

/** Record `q<second>`, which goes on from the one a second before. */
export const qwenRecord = (second: number, type: string, fields: object = {}) => ({
  uuid: `q${second}`,
  parentUuid: second === 1 ? null : `q${second - 1}`,
  sessionId: qwenId,
  timestamp: new Date(Date.UTC(2026, 2, 4, 10, 0, second)).toISOString(),
  type,
  cwd: '/home/dev/app',
  gitBranch: 'main',
  version: '0.24.6',
  ...fields,
})

export const qwenUser = (second: number, text: string, fields: object = {}) =>
  qwenRecord(second, 'user', { message: { role: 'user', parts: [{ text }] }, ...fields })

export const qwenModel = (second: number, parts: readonly object[], fields: object = {}) =>
  qwenRecord(second, 'assistant', { message: { role: 'model', parts }, ...fields })
