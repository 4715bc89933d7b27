/** A message's blocks on the page. All of it is text nodes; nothing of a transcript becomes markup. */
import type { ComponentChildren } from 'preact'
import { CodeBlock } from './code-block.tsx'
import type { Block } from './markdown-blocks.ts'
import type { Inline } from './markdown-inlines.ts'
import { MarkedText, MarksOfMessage } from './marked-text.tsx'
import type { MessageText } from './message-text.ts'

export function MessageBlocks({
  text,
  current,
}: {
  readonly text: MessageText
  readonly current: number | null
}) {
  return (
    <MarksOfMessage.Provider value={{ ranges: text.marks, current }}>
      <Blocks blocks={text.blocks} />
    </MarksOfMessage.Provider>
  )
}

function Blocks({ blocks }: { readonly blocks: readonly Block[] }) {
  return (
    <>
      {blocks.map((block, at) => (
        <OneBlock key={`${at}`} block={block} />
      ))}
    </>
  )
}

function OneBlock({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'paragraph':
      return (
        <p dir="auto">
          <Inlines inlines={block.inlines} />
        </p>
      )
    case 'heading':
      // The transcript's own headings are the page's business; these are an agent's, and only look like some.
      return (
        <p dir="auto" class={`said-heading said-heading-${Math.min(block.level, 3)}`}>
          <Inlines inlines={block.inlines} />
        </p>
      )
    case 'code':
      return <CodeBlock block={block} />
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      )
    case 'list': {
      const items = block.items.map((item, at) => (
        <li key={`${at}`}>
          <Blocks blocks={item} />
        </li>
      ))
      return block.start === null ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>
    }
    case 'table':
      return <Table rows={block.rows} />
    case 'rule':
      return <hr />
  }
}

function Table({ rows }: { readonly rows: Extract<Block, { kind: 'table' }>['rows'] }) {
  const [head = [], ...body] = rows
  return (
    // Wider than the page, it is scrolled; by keys too.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable
    <section class="said-table" tabIndex={0} aria-label="Table">
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={`${at}`} dir="auto">
                <Inlines inlines={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, at) => (
            <tr key={`${at}`}>
              {row.map((cell, column) => (
                <td key={`${column}`} dir="auto">
                  <Inlines inlines={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Inlines({ inlines }: { readonly inlines: readonly Inline[] }) {
  return (
    <>
      {inlines.map((inline, at) => (
        <OneInline key={`${at}`} inline={inline} />
      ))}
    </>
  )
}

function OneInline({ inline }: { readonly inline: Inline }): ComponentChildren {
  switch (inline.kind) {
    case 'text':
      return <MarkedText leaf={inline} />
    case 'code':
      return (
        <code>
          <MarkedText leaf={inline} />
        </code>
      )
    case 'strong':
      return (
        <strong>
          <Inlines inlines={inline.inlines} />
        </strong>
      )
    case 'emphasis':
      return (
        <em>
          <Inlines inlines={inline.inlines} />
        </em>
      )
    case 'struck':
      return (
        <s>
          <Inlines inlines={inline.inlines} />
        </s>
      )
    case 'link':
      return (
        <a href={inline.href} target="_blank" rel="noreferrer noopener" title={inline.href}>
          <Inlines inlines={inline.inlines} />
        </a>
      )
  }
}
