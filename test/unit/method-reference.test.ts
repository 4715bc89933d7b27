/** docs/methods.md says what the tables say, and its examples are what the schemas take. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type MethodName, methodTable } from '../../protocol/rpc/methods.ts'
import { repositoryRoot } from '../helpers/bundle.ts'
import { methodExamples } from '../helpers/docs/method-examples.ts'
import { withMethodReference } from '../helpers/docs/method-reference.ts'
import { shapesOf } from '../helpers/docs/schema-rows.ts'

const names = Object.keys(methodTable) as MethodName[]

describe('docs/methods.md', () => {
  it('is as the tables have it (`npm run docs` writes it)', async () => {
    const page = readFileSync(join(repositoryRoot, 'docs/methods.md'), 'utf8')
    await expect(withMethodReference(page)).toMatchFileSnapshot('../../docs/methods.md')
  })

  it.each(names)('has an exchange of %s that the schemas take as it stands', (name) => {
    const { params, result } = methodExamples[name]
    // What a default fills in is added; nothing is stripped, and nothing read otherwise.
    expect(methodTable[name].gateway.parse(params)).toMatchObject(params)
    expect(methodTable[name].result.parse(result)).toEqual(result)
  })

  it.each(names)('says of every member of %s what it means', (name) => {
    const shapes = [
      ...shapesOf(methodTable[name].gateway, 'input'),
      ...shapesOf(methodTable[name].result, 'output'),
    ]
    const unsaid = shapes
      .flatMap(({ rows }) => rows)
      .filter(({ meaning, type }) => meaning === '' && !isOneText(type))
    expect(unsaid.map(({ member }) => member)).toEqual([])
  })
})

/** What tells shapes apart says all by its value. */
const isOneText = (type: string) => /^`"[^`]*"`$/.test(type)
