/** Records of CodeBuddy's command line, for the tests of its reader. */
export const buddyId = '5b0d6c1e-0000-4000-8000-000000000001'
export const buddyPath = `.codebuddy/projects/home-dev-app/${buddyId}.jsonl`
export const buddyStartMs = Date.UTC(2026, 2, 4, 10)

export const buddyRecord = (second: number, type: string, fields: object = {}) => ({
  id: `b${second}`,
  timestamp: buddyStartMs + second * 1000,
  type,
  sessionId: buddyId,
  cwd: '/home/dev/app',
  ...fields,
})
