import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Block, readBlocks } from './markdown-blocks.ts'
import type { Inline } from './markdown-inlines.ts'

/** All words of a tree, in order. */
function wordsOf(blocks: readonly Block[]): string {
  return blocks.map(wordsOfBlock).join('\n')
}

function wordsOfBlock(block: Block): string {
  const inline = (one: Inline): string => ('text' in one ? one.text : one.inlines.map(inline).join(''))
  const inlines = (many: readonly Inline[]) => many.map(inline).join('')
  if (block.kind === 'paragraph' || block.kind === 'heading') return inlines(block.inlines)
  if (block.kind === 'code') return block.text
  if (block.kind === 'list') return block.items.map(wordsOf).join('\n')
  if (block.kind === 'quote') return wordsOf(block.blocks)
  if (block.kind === 'table') return block.rows.map((row) => row.map(inlines).join(' ')).join('\n')
  return ''
}

const text = (value: string) => ({ kind: 'text', text: value })
const paragraph = (...inlines: object[]) => ({ kind: 'paragraph', inlines })
const inlinesOf = (line: string) => {
  const [block] = readBlocks(line)
  return block?.kind === 'paragraph' ? block.inlines : block
}

describe('readBlocks', () => {
  it('keeps the lines of a paragraph as they were broken', () => {
    expect(readBlocks('one\ntwo\n\nthree')).toEqual([paragraph(text('one\ntwo')), paragraph(text('three'))])
  })

  it('reads headings, rules and quotes', () => {
    expect(readBlocks('## Why ##\n---\n> said\n> more\nafter')).toEqual([
      { kind: 'heading', level: 2, inlines: [text('Why')] },
      { kind: 'rule' },
      { kind: 'quote', blocks: [paragraph(text('said\nmore'))] },
      paragraph(text('after')),
    ])
    expect(readBlocks('#hashtag')).toEqual([paragraph(text('#hashtag'))])
  })

  it('reads fenced code, in lists too, and one that is never closed', () => {
    expect(readBlocks('```TS title="a"\nconst a = `b`\n```\nend')).toEqual([
      { kind: 'code', language: 'ts', text: 'const a = `b`' },
      paragraph(text('end')),
    ])
    expect(readBlocks('1. run\n   ```sh\n   ls\n   ```')).toEqual([
      {
        kind: 'list',
        start: 1,
        items: [[paragraph(text('run')), { kind: 'code', language: 'sh', text: 'ls' }]],
      },
    ])
    expect(readBlocks('~~~\na\n```\nb')).toEqual([{ kind: 'code', language: '', text: 'a\n```\nb' }])
  })

  it('reads lists with blank lines between, lists in lists, and numbers that start anywhere', () => {
    expect(readBlocks('- a\n\n- b\n  - c\n\n  more\n\nafter')).toEqual([
      {
        kind: 'list',
        start: null,
        items: [
          [paragraph(text('a'))],
          [
            paragraph(text('b')),
            { kind: 'list', start: null, items: [[paragraph(text('c'))]] },
            paragraph(text('more')),
          ],
        ],
      },
      paragraph(text('after')),
    ])
    expect(readBlocks('7. a\n8. b')).toMatchObject([{ kind: 'list', start: 7, items: { length: 2 } }])
    expect(readBlocks('1. a\n  - b')).toMatchObject([
      { start: 1, items: [[{}, { kind: 'list', start: null }]] },
    ])
    expect(readBlocks('2026 - a year\n-flag')).toEqual([paragraph(text('2026 - a year\n-flag'))])
  })

  it('reads tables, and leaves lines with a bar alone', () => {
    expect(readBlocks('| a | b |\n|---|:-:|\n| `x` | y \\| z |\nend')).toEqual([
      {
        kind: 'table',
        rows: [
          [[text('a')], [text('b')]],
          [[{ kind: 'code', text: 'x' }], [text('y | z')]],
        ],
      },
      paragraph(text('end')),
    ])
    expect(readBlocks('a | b\nc | d')).toEqual([paragraph(text('a | b\nc | d'))])
  })

  it('leaves HTML the text it is', () => {
    const html = '<script>alert(1)</script>\n<img src=x onerror="alert(1)">'
    expect(readBlocks(html)).toEqual([paragraph(text(html))])
  })

  it('loses no word of what anybody writes', () => {
    const signs = fc.constantFrom(
      ...[
        '# ',
        '- ',
        '1. ',
        '> ',
        '```\n',
        '\n',
        '\n\n',
        '  ',
        '**',
        '*',
        '`',
        '[',
        ']',
        '|',
        '|-|\n',
        'a',
        'b c',
      ],
    )
    const letters = (value: string) => value.replaceAll(/[^abc]/g, '')
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 60 }), (parts) => {
        const written = parts.join('')
        // What stands behind a fence is the code's language.
        fc.pre(!/`{3}.*[abc]/.test(written))
        expect(letters(wordsOf(readBlocks(written)))).toBe(letters(written))
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['fences', '```'.repeat(20_000)],
    ['quotes', '>'.repeat(60_000)],
    ['stars', '*a '.repeat(20_000)],
    ['closing stars in code', `**a${'`** '.repeat(15_000)}`],
    ['backticks', Array.from({ length: 340 }, (_, n) => '`'.repeat(n)).join(' ')],
    ['brackets', '['.repeat(60_000)],
    ['nested lists', Array.from({ length: 300 }, (_, n) => `${' '.repeat(n)}- a`).join('\n')],
    ['bars', '|-'.repeat(30_000)],
    ['blanks', `#${' '.repeat(60_000)}x`],
  ])('takes no long time over 60,000 %s', (_name, hostile) => {
    const startedMs = performance.now()
    readBlocks(hostile)
    expect(performance.now() - startedMs).toBeLessThan(2000)
  })
})

describe('readInlines', () => {
  it('reads code, strong, emphasis and what is struck out, one in the other', () => {
    expect(inlinesOf('a **b `c` _d_** ~~e~~')).toEqual([
      text('a '),
      {
        kind: 'strong',
        inlines: [
          text('b '),
          { kind: 'code', text: 'c' },
          text(' '),
          { kind: 'emphasis', inlines: [text('d')] },
        ],
      },
      text(' '),
      { kind: 'struck', inlines: [text('e')] },
    ])
    expect(inlinesOf('`` a`b ``')).toEqual([{ kind: 'code', text: 'a`b' }])
  })

  it.each(['snake_case_word', '2*3*4', 'src/**/*.ts', '__init__.py', '* a *', 'a ` b', '**open', 'C:\\dir'])(
    'leaves %s as it is',
    (line) => {
      expect(wordsOf(readBlocks(line.startsWith('* ') ? `x ${line}` : line)).replace(/^x /, '')).toBe(line)
      expect(JSON.stringify(readBlocks(line.startsWith('* ') ? `x ${line}` : line))).not.toMatch(
        /strong|emphasis|"code"/,
      )
    },
  )

  it('makes links of http and https alone, and shows every other one as written', () => {
    expect(inlinesOf('see https://a.example/x_(y), or [the **docs**](http://b.example/).')).toEqual([
      text('see '),
      { kind: 'link', href: 'https://a.example/x_(y)', inlines: [text('https://a.example/x_(y)')] },
      text(', or '),
      {
        kind: 'link',
        href: 'http://b.example/',
        inlines: [text('the '), { kind: 'strong', inlines: [text('docs')] }],
      },
      text('.'),
    ])
    for (const address of [
      'javascript:alert(1)',
      'data:text/html,x',
      'JaVaScRiPt:x',
      '//a.example',
      'file:///x',
    ])
      expect(inlinesOf(`[x](${address})`)).toEqual([text(`[x](${address})`)])
    expect(inlinesOf('xhttp://a.example')).toEqual([text('xhttp://a.example')])
  })
})
