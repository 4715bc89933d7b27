import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SqlDatabase } from './driver/driver.ts'
import { loadSqlDriver } from './driver/load-driver.ts'
import {
  composedText,
  hasUnspacedRun,
  humpsOf,
  identifierPieces,
  searchableText,
  tokenize,
} from './tokens.ts'

/** A real FTS5 table with the product's tokenizer, and its vocabulary by place. */
let database: SqlDatabase
beforeAll(() => {
  database = loadSqlDriver().open(':memory:', { readOnly: false })
  database.exec(`
    CREATE VIRTUAL TABLE t USING fts5 (a, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE v USING fts5vocab (t, 'instance');
  `)
})
afterAll(() => {
  database.close()
})

function termsOfFts5(text: string): string[] {
  database.exec('DELETE FROM t WHERE rowid = 1')
  database.prepare('INSERT INTO t (rowid, a) VALUES (1, ?)').run(text)
  return database
    .prepare('SELECT term FROM v ORDER BY offset')
    .all()
    .map((row) => String(row.term))
}

const terms = (text: string) => tokenize(text).map((token) => token.term)

describe('tokenize', () => {
  it('agrees with FTS5 on every code point, inside a word and at its start', () => {
    const step = 4096
    for (let first = 0; first < 0x32000; first += step) {
      let text = ''
      for (let codePoint = first; codePoint < first + step; codePoint++) {
        if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue
        const character = String.fromCodePoint(codePoint)
        text += `x${character}y ${character}z `
      }
      const composed = composedText(text)
      expect(terms(composed)).toEqual(termsOfFts5(searchableText(text)))
    }
  }, 30_000)

  it('agrees with FTS5 on any text', () => {
    const salted = fc.array(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom(
          'Éa',
          'e\u0301',
          '登录',
          'が',
          'か\u3099',
          '\u0301x',
          '\ud83d',
          '\0',
          'ĲSSEL',
          'ЙО',
          'สวัสดี',
          '한글',
          '👩‍💻',
          '✅',
          '👍🏽',
          '🤔',
          '🇩🇪',
          '𠀋',
        ),
      ),
    )
    fc.assert(
      fc.property(salted, (parts) => {
        const text = parts.join('')
        const composed = composedText(text)
        expect(terms(composed)).toEqual(termsOfFts5(searchableText(text)))
        for (const token of tokenize(composed)) {
          expect(terms(composed.slice(token.start, token.end))).toEqual([token.term])
        }
      }),
      { numRuns: 400 },
    )
  })

  it('says where each word stands', () => {
    expect(tokenize('In src/Größe.ts.')).toEqual([
      { term: 'in', start: 0, end: 2 },
      { term: 'src', start: 3, end: 6 },
      { term: 'große', start: 7, end: 12 },
      { term: 'ts', start: 13, end: 15 },
    ])
  })

  it('lets each character of an unspaced script stand alone', () => {
    expect(terms('修复login登录')).toEqual(['修', '复', 'login', '登', '录'])
    expect(hasUnspacedRun('a 登录 b')).toBe(true)
    expect(hasUnspacedRun('a 登 b')).toBe(false)
  })
})

describe('searchableText', () => {
  it('returns plain text as it is', () => {
    const text = 'foo.bar → naïve “¿?” Ω'
    expect(searchableText(text)).toBe(text)
  })

  it('makes any part of an unspaced sentence a phrase', () => {
    termsOfFts5(searchableText('昨天修复了登录错误。'))
    const found = database.prepare('SELECT count(*) AS n FROM t WHERE t MATCH ?')
    for (const part of ['登', '登录', '复了登录错', '误']) {
      expect(found.get(`"${searchableText(part)}"`)).toEqual({ n: 1 })
    }
    expect(found.get(`"${searchableText('录登')}"`)).toEqual({ n: 0 })
  })
})

describe('symbols', () => {
  it('are terms of their own, whatever they touch, and without their skin tone', () => {
    expect(terms('done✅now')).toEqual(['done', terms('✅')[0], 'now'])
    expect(terms('👍🏽')).toEqual(terms('👍'))
    expect(terms('👍')).not.toEqual(terms('👎'))
    expect(terms('⚠\ufe0f')).toEqual(terms('⚠'))
    expect(new Set(['✅', '❌', '✓', '⚠', '🎉', '🤔', '🫠', '🇩'].flatMap(terms)).size).toBe(8)
  })

  it('are one phrase where a person sees one sign', () => {
    expect(terms('👩‍💻')).toEqual([...terms('👩'), ...terms('💻')])
    expect(terms('🇩🇪')).toHaveLength(2)
  })

  it('are no term where nobody would look for them: arrows, lines, punctuation', () => {
    expect(terms('→ ─ │ • … — “”')).toEqual([])
  })
})

describe('identifierPieces', () => {
  it('splits camel case and acronyms', () => {
    expect(identifierPieces('call parseHTTPResponse, then XMLHttpRequest and sha256Sum')).toBe(
      'parse http response xml http request sha256 sum',
    )
  })

  it('keeps the parts of a word together, whatever stood before, so that a piece of it is a phrase', () => {
    expect(identifierPieces('setFilter(onChange) handleFilterChange setFilter')).toBe(
      'set filter on change handle filter change',
    )
  })

  it('finds nothing in words the tokenizer splits, or that have no humps', () => {
    expect(identifierPieces('plain snake_case kebab-case CONSTANT Title a.b')).toBe('')
  })

  it('passes over runs too long to be an identifier', () => {
    expect(identifierPieces(`aB${'x'.repeat(200)} readFile`)).toBe('read file')
  })

  it('keeps Latin letters beyond ASCII inside the word', () => {
    expect(identifierPieces('naïveBayes')).toBe('naïve bayes')
  })

  it('is bounded', () => {
    const words = Array.from({ length: 6000 }, (_, n) => `getX${n}`).join(' ')
    expect(identifierPieces(words).split(' ').length).toBe(4000)
  })
})

describe('humpsOf', () => {
  it('cuts any word where a regular expression would, in order and to its last character', () => {
    const hump = /[A-Z]+(?![a-z])[0-9]*|[A-Z]?[^A-Z]+/g
    const word = fc.string({ unit: fc.constantFrom('A', 'B', 'a', 'b', '1', 'é', 'É', 'İ') })
    const property = fc.property(word, (text) => {
      const parts = (text.match(hump) ?? []).map((part) => part.toLowerCase())
      expect(humpsOf(text)).toEqual(parts.filter((part) => part.length > 1))
    })
    fc.assert(property, { numRuns: 500 })
  })

  it('gives the parts of one word', () => {
    expect(humpsOf('useReducerState')).toEqual(['use', 'reducer', 'state'])
    expect(humpsOf('HTTP2Server')).toEqual(['http2', 'server'])
    expect(humpsOf('plain')).toEqual(['plain'])
    expect(humpsOf('HTML5parserÉtéX')).toEqual(['html5', 'parserété'])
  })
})
