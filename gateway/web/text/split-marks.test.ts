/** Marks of a snippet, and brackets that are none. */
import { expect, it } from 'vitest'
import { splitMarks } from './split-marks.ts'

it.each([
  ['…the [[loop]] never [[ends]]', ['…the ', '*loop', ' never ', '*ends']],
  ['[[a]]', ['*a']],
  ['array[\u2060[0]\u2060] and [[x]]', ['array[[0]] and ', '*x']],
  ['[[half', ['[[half']],
  ['[[two\nlines]]', ['*two lines']],
  ['', []],
])('reads %j', (snippet, parts) => {
  expect(splitMarks(snippet).map(({ text, isMatch }) => (isMatch ? `*${text}` : text))).toEqual(parts)
})
