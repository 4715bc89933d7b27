/** Entries of Pi and its kin, for the tests of their readers. */
export const piStartMs = Date.parse('2026-03-04T10:00:00.000Z')

const at = (second: number) => new Date(piStartMs + second * 1000).toISOString()

export const piHead = (id: string, fields: object = {}, second = 0) => ({
  type: 'session',
  version: 3,
  id,
  timestamp: at(second),
  cwd: '/home/dev/app',
  ...fields,
})

export const piEntry = (second: number, type: string, fields: object = {}) => ({
  type,
  id: `e${second}`,
  parentId: `e${second - 1}`,
  timestamp: at(second),
  ...fields,
})

export const piMessage = (second: number, message: object) => piEntry(second, 'message', { message })
export const piUser = (second: number, content: unknown) => piMessage(second, { role: 'user', content })
export const piAssistant = (second: number, text: string) =>
  piMessage(second, { role: 'assistant', content: [{ type: 'text', text }] })
