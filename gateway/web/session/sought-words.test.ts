import { describe, expect, it } from 'vitest'
import { matchRanges, soughtIn } from './sought-words.ts'

const found = (query: string, text: string, marked: readonly string[] = []) =>
  matchRanges(text, soughtIn(query, marked)).map(({ start, end }) => text.slice(start, end))

describe('what a query looks for in a text', () => {
  it('is whole words, whatever their case and accents, and neighbours are one match', () => {
    expect(found('reconnect loop', 'The Reconnect  Loop, a loophole; reconnects, RÉCONNECT')).toEqual([
      'Reconnect  Loop',
      'RÉCONNECT',
    ])
    expect(found('loop', 'a loop\u0301 and loop')).toEqual(['loop\u0301', 'loop'])
  })

  it('is phrases where words are quoted or hang together', () => {
    expect(found('"retry budget"', 'budget retry, retry-budget')).toEqual(['retry-budget'])
    expect(found('src/app.ts', 'app src, ./src/app.ts')).toEqual(['src/app.ts'])
    expect(found('"the end"', 'the start, the end')).toEqual(['the end'])
  })

  it('is the beginning of a word with a star, and a part of a camel-case word', () => {
    expect(found('recon*', 'reconnected and con')).toEqual(['reconnected'])
    expect(found('http', 'parseHTTPResponse httpd')).toEqual(['parseHTTPResponse'])
  })

  it('leaves common words out unless there are no others, and operators and what is to be missing always', () => {
    expect(found('how to loop', 'how to loop')).toEqual(['loop'])
    expect(found('to be', 'to be or not')).toEqual(['to be'])
    expect(found('agent:claude -loop host:a', 'claude loop a')).toEqual([])
    expect(soughtIn('')).toEqual([])
  })

  it('is any part of a sentence in scripts without spaces', () => {
    expect(found('身份验证', '用户身份验证失败')).toEqual(['身份验证'])
  })

  it('is also what the engine marked in place of a misspelt word', () => {
    expect(found('reconect', 'a reconnect', ['reconnect'])).toEqual(['reconnect'])
  })

  it('takes no long time over a long line', () => {
    const startedMs = performance.now()
    expect(found('needle', `${'x'.repeat(1_000_000)} needle ${'a '.repeat(100_000)}`)).toEqual(['needle'])
    expect(performance.now() - startedMs).toBeLessThan(3000)
  })
})
