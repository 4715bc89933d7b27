/** A block of code: coloured once the highlighter has come, and copied as it is. */
import { useEffect, useState } from 'preact/hooks'
import { CopyButton } from '../text/copy-button.tsx'
import type { Block } from './markdown-blocks.ts'
import { MarkedText } from './marked-text.tsx'
import type { CodeToken } from './text-segments.ts'

export function CodeBlock({ block }: { readonly block: Extract<Block, { kind: 'code' }> }) {
  const { text, language } = block
  const [tokens, setTokens] = useState<readonly CodeToken[] | null>(null)
  useEffect(() => {
    let isLeft = false
    setTokens(null)
    if (language !== '')
      import('./highlight.ts').then(
        ({ tokensOf }) => {
          if (!isLeft) setTokens(tokensOf(text, language))
        },
        // Without colours it reads as well.
        () => {},
      )
    return () => {
      isLeft = true
    }
  }, [text, language])
  return (
    <div class="said-code">
      <div class="said-code-head">
        <span>{language.slice(0, 20) || 'text'}</span>
        <CopyButton label="Copy code" text={text} />
      </div>
      <pre>
        <code>
          <MarkedText leaf={block} {...(tokens === null ? {} : { tokens })} />
        </code>
      </pre>
    </div>
  )
}
