import { describe, expect, it } from 'vitest'
import { jsonDocument, jsonManifest, jsonObject, jsonRecords, logRecords } from './json-document.ts'

describe('jsonDocument', () => {
  it('reads a document, also behind a byte order mark', () => {
    expect(jsonDocument(Buffer.from('\ufeff[1]'))).toEqual([1])
    expect(jsonObject(Buffer.from('{"a":1}'))).toEqual({ a: 1 })
  })

  it('says what is wrong with any other', () => {
    expect(() => jsonDocument(Buffer.from('{"a":'))).toThrow('not complete JSON')
    expect(() => jsonDocument(Buffer.alloc(0))).toThrow('not complete JSON')
    expect(() => jsonObject(Buffer.from('[]'))).toThrow('not a JSON object')
  })
})

describe('jsonManifest', () => {
  it('takes what is no object for an empty one', () => {
    expect(jsonManifest('{"a":1}')).toEqual({ a: 1 })
    for (const text of ['', '[]', '7', '{"a":']) expect(jsonManifest(text)).toEqual({})
  })
})

describe('jsonRecords', () => {
  it('takes the objects of a list and nothing else', () => {
    expect(jsonRecords('[{"a":1},7,null,{"b":2}]')).toEqual([{ a: 1 }, { b: 2 }])
    for (const text of ['', '{}', '[{']) expect(jsonRecords(text)).toEqual([])
  })
})

describe('logRecords', () => {
  it('reads the lines that are complete, null for one that cannot be read', () => {
    expect([...logRecords(Buffer.from('{"a":1}\n\n{torn\n{"b":2}\r\n{"c":'))]).toEqual([
      { a: 1 },
      null,
      { b: 2 },
    ])
  })
})
