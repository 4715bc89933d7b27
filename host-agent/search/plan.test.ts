import { describe, expect, it } from 'vitest'
import { planRungs, respell } from './plan.ts'
import { readQuery } from './query-text.ts'

const rungs = (query: string, scope: 'conversation' | 'all' = 'all') =>
  planRungs(readQuery(query), scope).map((rung) => `${rung.name}: ${rung.match}`)

describe('planRungs', () => {
  it('tries the whole phrase first for a literal query only', () => {
    expect(rungs('reconnect loop')[0]).toBe('and: "reconnect" AND "loop"')
    expect(rungs('TypeError in loop')[0]).toBe('phrase: "typeerror in loop"')
  })

  it('climbs from all words in a message to all in a session to any', () => {
    expect(rungs('reconnect loop')).toEqual([
      'and: "reconnect" AND "loop"',
      'session: "reconnect" OR "loop"',
      'or: "reconnect" OR "loop"',
    ])
  })

  it('tries nothing twice', () => {
    expect(rungs('reconnect')).toEqual(['and: "reconnect"'])
    expect(rungs('ENOENT')).toEqual(['phrase: "enoent"'])
  })

  it('drops common words beside others, but not inside the phrase, and not when there is nothing else', () => {
    expect(rungs('where is the loop')).toEqual(['and: "loop"'])
    expect(rungs('where is app.ts')[0]).toBe('phrase: "where is app ts"')
    expect(rungs('to be or not')[0]).toBe('and: "to" AND "be" AND "or" AND "not"')
  })

  it('[request.scope] binds the column filter to the whole expression', () => {
    expect(rungs('reconnect loop', 'conversation')[0]).toBe(
      'and: {user_text assistant_text} : ("reconnect" AND "loop")',
    )
  })

  it('finds a camel-case word by its parts as well', () => {
    expect(rungs('getUserName')).toEqual([
      'phrase: "getusername"',
      'and: ("getusername" OR "get user name")',
      'or: "getusername" OR "user" OR "name"',
    ])
  })

  it('looks for pairs of characters where a sentence without spaces is not found whole', () => {
    expect(rungs('登录错误').at(-1)).toBe('or: "登 录 错 误" OR "登 录" OR "录 错" OR "错 误"')
  })

  it('keeps a quoted span whole on every rung', () => {
    expect(rungs('"connection reset" handler').at(-1)).toBe('or: "connection reset" OR "handler"')
    expect(rungs('"connection reset"')).toEqual(['phrase: "connection reset"'])
  })

  it('does not look again for what is known to stand nowhere', () => {
    const left = (query: string, ...unknown: string[]) =>
      planRungs(readQuery(query), 'all', new Set(unknown)).map((rung) => `${rung.name}: ${rung.match}`)
    expect(left('reconnect loop', 'loop')).toEqual(['or: "reconnect"'])
    expect(left('src/app.ts loop', 'app')).toEqual(['or: "loop" OR "src" OR "ts"'])
    expect(left('getUserName', 'getusername')[0]).toBe('and: "get user name"')
    expect(left('reconnect loop', 'reconnect', 'loop')).toEqual([])
  })

  it('lets only the last word of a phrase go on, and looks in the columns of role:', () => {
    expect(rungs('src/ap*')).toEqual(['phrase: "src ap" *', 'or: "src ap" * OR "src" OR "ap"'])
    expect(rungs('src/ap* "loop x"')[0]).toBe('and: "src ap" * AND "loop x"')
    expect(rungs('loop role:user')).toEqual(['and: {user_text} : ("loop")'])
    expect(rungs('loop -role:user', 'conversation')).toEqual(['and: {assistant_text} : ("loop")'])
    expect(rungs('loop role:tool', 'conversation')).toEqual([])
  })

  it('has nothing to climb without words', () => {
    expect(rungs('***')).toEqual([])
  })
})

describe('respell', () => {
  it('changes words, not the verdict and not what is quoted', () => {
    const query = readQuery('parseJsonn(the, data) "parsejsonn"')
    const respelt = respell(query, new Map([['parsejsonn', 'parsejson']]))
    expect(respelt.terms.map((term) => term.words.join(' '))).toEqual(['parsejson the', 'data', 'parsejsonn'])
    expect(respelt.literal).toBe(true)
  })
})
