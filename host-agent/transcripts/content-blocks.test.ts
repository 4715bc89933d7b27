import { describe, expect, it } from 'vitest'
import { tellContent } from './content-blocks.ts'
import { neighbourPath } from './neighbour-path.ts'
import { Telling } from './telling.ts'

function told(content: unknown): string[] {
  const said: string[] = []
  const tell = new Telling(({ role, text }) => said.push(`${role}: ${text}`))
  tellContent(content, (text) => tell.assistant(text, null), tell, null)
  return said
}

describe('tellContent', () => {
  it('tells a text as it stands', () => {
    expect(told('words')).toEqual(['assistant: words'])
  })

  it('joins texts and thoughts, and parts them at calls and results', () => {
    expect(
      told([
        { type: 'thinking', thinking: 'hm' },
        'plain',
        { type: 'image', source: { data: 'AAAA' } },
        { type: 'output_text', text: 'one' },
        { type: 'tool_use', name: 'Bash', input: '{"command":"ls"}' },
        { type: 'server_tool_use', name: 'search', input: { query: 'q' } },
        { type: 'tool_result', content: [{ type: 'text', text: 'found' }] },
        { type: 'text', text: 'two' },
      ]),
    ).toEqual([
      'assistant: hm\nplain\none',
      'tool: Bash: ls',
      'tool: search: q',
      'tool: found',
      'assistant: two',
    ])
  })

  it('has nothing to tell of what is neither', () => {
    for (const content of [null, 7, {}, [null, 7, { type: 'text' }]]) expect(told(content)).toEqual([])
  })
})

describe('neighbourPath', () => {
  it('joins by the rules of the system the path belongs to', () => {
    expect(neighbourPath('/a/b/c.json', 'd.json')).toBe('/a/b/d.json')
    expect(neighbourPath('/a/b/c.json', '..', 'd')).toBe('/a/d')
    expect(neighbourPath('/a/b/c.json')).toBe('/a/b')
    expect(neighbourPath('C:\\a\\b\\c.json', '..', 'd')).toBe('C:\\a\\d')
  })
})
