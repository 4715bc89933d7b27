import { describe, expect, it } from 'vitest'
import { TrawlError } from '../protocol/rpc/errors.ts'
import { createLog, errorFields, type LogLevel, logDestination, logFault, logLevelFrom } from './log.ts'
import { formatLogLine } from './log-for-people.ts'

const secret = 'planted-secret'

function capture(level: LogLevel) {
  const lines: string[] = []
  const log = createLog({ level, destination: { write: (line) => void lines.push(line) } })
  return { log, text: () => lines.join(''), entries: () => lines.map((line): unknown => JSON.parse(line)) }
}

describe('createLog', () => {
  it.each(['token', 'authorization', 'query', 'path', 'filePath', 'snippet', 'params'])(
    'withholds %s at the top, one and two levels down',
    (key) => {
      const { log, text } = capture('debug')
      log.info({ [key]: secret, a: { [key]: secret, b: { [key]: secret } } })
      expect(text()).not.toContain(secret)
      expect(text().split('[withheld]')).toHaveLength(4)
    },
  )

  it('writes errors as class and code, never as text or stack', () => {
    const { log, text, entries } = capture('debug')
    const error = Object.assign(new Error(`ENOENT: no such file, open '/home/mira/${secret}'`), {
      code: 'ENOENT',
    })
    log.error({ err: error }, 'it failed')
    log.error({ error }, 'it failed')
    expect(text()).not.toContain(secret)
    expect(entries()[0]).toMatchObject({
      level: 'error',
      err: { type: 'Error', code: 'ENOENT' },
      msg: 'it failed',
    })
  })

  it('names neither this process nor this machine', () => {
    const { log, entries } = capture('info')
    log.info('x')
    expect(Object.keys(entries()[0] as object).sort()).toEqual(['level', 'msg', 'time'])
  })
})

describe('logFault', () => {
  const fault = new TrawlError('internal', undefined, { correlationId: 'c-1' }, new TypeError(`no ${secret}`))

  it('gives the correlation id and the class of the cause at error level', () => {
    const { log, text, entries } = capture('info')
    logFault(log, fault, 'aiVault.searchSessions')
    expect(entries()).toMatchObject([
      { correlationId: 'c-1', method: 'aiVault.searchSessions', err: { type: 'TypeError' } },
    ])
    expect(text()).not.toContain(secret)
  })

  it('tells the cause in full at debug level', () => {
    const { log, text } = capture('debug')
    logFault(log, fault, 'm')
    expect(text()).toContain(secret)
  })
})

describe('errorFields', () => {
  it('takes anything thrown', () => {
    expect([undefined, 'text', { code: 'X' }, new RangeError('x')].map(errorFields)).toEqual([
      { type: 'undefined' },
      { type: 'string' },
      { type: 'object' },
      { type: 'RangeError' },
    ])
  })
})

describe('logLevelFrom', () => {
  it('takes a level it knows, else the fallback', () => {
    expect(logLevelFrom({ TRAWL_LOG_LEVEL: 'debug' }, 'info')).toBe('debug')
    expect(logLevelFrom({ TRAWL_LOG_LEVEL: 'loud' }, 'info')).toBe('info')
    expect(logLevelFrom({}, 'silent')).toBe('silent')
  })
})

describe('logDestination', () => {
  it('is what the caller offers unless a file is named', () => {
    const offered = { write: () => {} }
    expect(logDestination({}, offered)).toBe(offered)
  })
})

describe('formatLogLine', () => {
  it('shows time, level, message and fields', () => {
    const line =
      '{"level":"info","time":"2026-11-30T09:08:07.000Z","port":7717,"reason":"a b","msg":"listening"}\n'
    expect(formatLogLine(line)).toBe('09:08:07 info  listening port=7717 reason="a b"\n')
  })

  it('never lets a control character through, and passes on what is no log line', () => {
    expect(formatLogLine('{"level":"info","x":"\\u001b[2J"}')).toBe(' info   x="\\u001b[2J"\n')
    expect(formatLogLine('plain\n')).toBe('plain\n')
  })
})
