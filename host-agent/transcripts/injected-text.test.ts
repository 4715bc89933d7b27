import { describe, expect, it } from 'vitest'
import { openingTags, takeBlocks } from './injected-text.ts'

const opening = openingTags(['note', 'other'])

describe('takeBlocks', () => {
  it('takes blocks out and keeps the words around them apart', () => {
    expect(takeBlocks('one<note a="b">x</note>two', opening)).toEqual({
      rest: 'one\ntwo',
      blocks: [{ tag: 'note', content: 'x' }],
    })
  })

  it('leaves other tags and tags that are never closed', () => {
    const text = 'a <b>c</b> <note> and <notebook>x</notebook>'
    expect(takeBlocks(text, opening)).toEqual({ rest: text, blocks: [] })
  })

  it('takes the outermost block with what is inside it', () => {
    expect(takeBlocks('<note>a <other>b</other> c</note>', opening).blocks).toEqual([
      { tag: 'note', content: 'a <other>b</other> c' },
    ])
  })

  it('takes time in proportion to the text, whatever it holds', () => {
    const hostile = ['<note>'.repeat(400_000), '<note '.repeat(400_000), '<note>x</note>'.repeat(150_000)]
    const startedAt = performance.now()
    for (const text of hostile) takeBlocks(text, opening)
    // Quadratic, each would take minutes.
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })
})
