/** Every kind of token that people paste into a search box is found whole, by its fragments, and among decoys. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createIndexFixture, type IndexFixture } from './index-fixture.ts'
import { results } from './search-fixture.ts'

interface Kind {
  /** As it stands in a message. */
  readonly token: string
  /** What else finds it. */
  readonly by: readonly string[]
}

const kinds: Readonly<Record<string, Kind>> = {
  'camel case': {
    token: 'parseHTTPResponse',
    by: ['parsehttpresponse', 'HTTPResponse', 'http response', 'parseHttp*'],
  },
  'snake case': {
    token: 'retry_backoff_ms',
    by: ['backoff_ms', 'retry backoff', 'retryBackoffMs', 'retry_back*'],
  },
  'screaming snake case': {
    token: 'MAX_IDLE_SOCKETS',
    by: ['max_idle_sockets', 'IDLE_SOCKETS', 'maxIdleSockets'],
  },
  'dotted name': { token: 'config.server.keepAlive', by: ['server.keepAlive', 'config.server', 'keepalive'] },
  'method call': { token: 'this.queue.drain()', by: ['queue.drain', 'queue.drain()', 'drain('] },
  'hyphenated id': { token: 'bd-q3fy', by: ['q3fy', 'BD-Q3FY', '"bd-q3fy"', 'bd-q3*'] },
  ticket: { token: 'PLAT-4711', by: ['plat-4711', '4711'] },
  uuid: { token: '0b7e3f52-91aa-4c1d-8e0f-5d2c9a61b344', by: ['0b7e3f52', '91aa-4c1d', '0b7e3f52-91*'] },
  'commit hash': { token: '9f86d081884c7d65', by: ['9f86d08*'] },
  'posix path': {
    token: '/srv/billing/src/ledger/close.ts',
    by: ['src/ledger/close.ts', 'ledger/close', 'close.ts', '/srv/billing'],
  },
  'path with a place': { token: 'ledger/open.ts:128:17', by: ['ledger/open.ts', 'open.ts:128'] },
  'windows path': {
    token: 'C:\\Users\\Mira\\AppData\\Local\\zest',
    by: ['AppData\\Local\\zest', 'c:/users/mira/appdata', 'Local\\zest'],
  },
  'wsl path': { token: '\\\\wsl$\\Ubuntu\\home\\mira\\quill', by: ['wsl$\\Ubuntu', 'home\\mira\\quill'] },
  url: {
    token: 'https://status.example.org:8443/api/v2/jobs?state=failed&page=3#top',
    by: ['status.example.org', 'example.org:8443/api', '/api/v2/jobs', 'state=failed'],
  },
  email: {
    token: 'mira.okafor+alerts@mail.example.net',
    by: ['mira.okafor', 'alerts@mail', 'mail.example.net'],
  },
  version: {
    token: 'v20.19.3-rc.1',
    by: ['v20.19.3', 'v20.19', '19.3-rc.1', 'v20.19*'],
  },
  'package at version': { token: '@scope/tool-kit@4.2.0', by: ['@scope/tool-kit', 'tool-kit@4.2.0'] },
  'error message': {
    token: "TypeError: Cannot read properties of undefined (reading 'ledgerId')",
    by: [
      "undefined (reading 'ledgerId')",
      'cannot read properties of undefined',
      'reading ledgerId',
      '"Cannot read properties"',
    ],
  },
  'error code': { token: 'ERR_SOCKET_BAD_PORT', by: ['err_socket_bad_port', 'SOCKET_BAD'] },
  'negative number': { token: '-32601', by: ['32601'] },
  'long flag': {
    token: '--max-old-space-size=4096',
    by: ['max-old-space-size', '--max-old-space*', '=4096'],
  },
  'c++ scope': { token: 'std::unordered_map<int>', by: ['unordered_map', 'std::unordered*'] },
  'environment variable': { token: '$XDG_STATE_HOME', by: ['XDG_STATE_HOME', '{XDG_STATE_HOME}'] },
  apostrophe: { token: "o'hara doesn't", by: ["O'Hara", "doesn't", 'doesn’t', 'o’hara'] },
  'typographic apostrophe': { token: 'rock’n’roll', by: ["rock'n'roll", 'rock’n'] },
  diacritics: {
    token: 'Größenänderung naïvement Łódź',
    by: ['großenanderung', 'naivement', 'naïve*', 'größenänderung'],
  },
  'decomposed diacritics': { token: 'cafe\u0301s', by: ['cafés', 'cafes'] },
  cyrillic: { token: 'перезапуск', by: ['ПЕРЕЗАПУСК', 'перезап*'] },
  chinese: { token: '数据库连接池耗尽', by: ['连', '连接', '接池耗', '库连接池', '耗尽'] },
  japanese: { token: 'ログインに失敗しました', by: ['ロ', '失敗', 'グイン', 'しました'] },
  korean: { token: '로그인실패', by: ['실패', '인', '그인실'] },
  thai: { token: 'เชื่อมต่อฐานข้อมูลล้มเหลว', by: ['ฐาน', 'ข้อมูล', 'ล้ม', 'ฐ'] },
  emoji: { token: '🎉', by: ['"🎉"'] },
  'emoji touching a word': { token: 'shipped🚀today', by: ['🚀', 'shipped🚀', 'shipped'] },
  'younger emoji': { token: 'hm🤔', by: ['🤔', 'hm'] },
  'emoji with a skin tone': { token: 'ok👍🏽', by: ['👍', '👍🏽', '👍🏿'] },
  'emoji of several': { token: '👩‍🔬', by: ['👩', '🔬'] },
  flag: { token: '🇳🇿', by: ['"🇳🇿"'] },
  'check mark': { token: '✓ 12 green', by: ['✓', '✓ 12'] },
  'warning sign': { token: '⚠️ deprecated', by: ['⚠', '⚠️'] },
  keycap: { token: '7️⃣', by: ['7'] },
}

describe('every token', () => {
  let index: IndexFixture
  beforeAll(() => {
    index = createIndexFixture([
      ...Object.entries(kinds).map(([sessionId, { token }]) => ({
        sessionId,
        title: 'untitled',
        messages: [`before ${token} after`],
      })),
      ...['user', 'http', 'retry', 'src', 'example', 'mail'].map((word) => ({
        sessionId: `decoy ${word}`,
        title: 'untitled',
        messages: [`before ${word} after`],
      })),
    ])
  })
  afterAll(() => index[Symbol.dispose]())

  const cases = Object.entries(kinds).flatMap(([name, { token, by }]) =>
    [token, ...by].map((query): [kind: string, query: string] => [name, query]),
  )

  it.each(cases)('%s is found by %s', (name, query) => {
    for (const sort of ['relevance', 'newest'] as const) {
      const { hits } = results(index.db, { query, filters: { sort } })
      const hit = hits.find((each) => each.sessionId === name)
      expect(hit, `${sort}: ${hits.map((each) => each.sessionId).join(', ')}`).toBeDefined()
      expect(hit?.evidence?.snippet).toContain('[[')
      if (sort === 'relevance') expect(hits[0]?.sessionId).toBe(name)
    }
  })

  it.each(Object.entries(kinds))('%s is found alone as it was written', (name, { token }) => {
    const found = results(index.db, { query: token, debug: true })
    expect(found.hits.map((hit) => hit.sessionId)).toEqual([name])
    expect(found.debug?.route).not.toContain('typo')
  })
})
