/** What the relevance has to reach, and the table of what it did. */
import type { QueryKind } from './known-items.ts'
import type { KindFigures, RankFigures } from './relevance-figures.ts'

/** Whoever gives something exactly wants it first. */
const exactKinds: ReadonlySet<QueryKind> = new Set([
  'exact phrase',
  'identifier fragment',
  'path',
  'URL',
  'error line',
])

export interface RelevanceBar {
  readonly name: string
  readonly isMet: boolean
}

/** @returns the bars of every kind that anything was asked of. */
export function relevanceBars(figures: readonly KindFigures[]): RelevanceBar[] {
  return figures
    .filter(({ queries }) => queries > 0)
    .flatMap(({ kind, product, plain }) => [
      ...(exactKinds.has(kind)
        ? [
            { name: `${kind}: success@10 ≥ 0.99`, isMet: product.successAt10 >= 0.99 },
            { name: `${kind}: success@1 ≥ 0.9`, isMet: product.successAt1 >= 0.9 },
          ]
        : []),
      ...(kind === 'one typo'
        ? [{ name: `${kind}: success@10 ≥ 0.9`, isMet: product.successAt10 >= 0.9 }]
        : []),
      { name: `${kind}: better than plain bm25`, isMet: isBetter(product, plain) },
    ])
}

/** Better by the reciprocal rank and behind by neither success; or both perfect. */
function isBetter(product: RankFigures, plain: RankFigures): boolean {
  if (plain.reciprocalRank === 1) return product.reciprocalRank === 1
  return (
    product.reciprocalRank > plain.reciprocalRank &&
    product.successAt1 >= plain.successAt1 &&
    product.successAt10 >= plain.successAt10
  )
}

/** Markdown. */
export function relevanceTable(figures: readonly KindFigures[]): string {
  const share = (value: number) => value.toFixed(3)
  const cells = ({ successAt1, successAt10, reciprocalRank }: RankFigures) =>
    [successAt1, successAt10, reciprocalRank].map(share).join(' | ')
  return [
    '| kind | queries | success@1 | success@10 | MRR | bm25: success@1 | success@10 | MRR |',
    '|---|---|---|---|---|---|---|---|',
    ...figures.map(
      ({ kind, queries, product, plain }) => `| ${kind} | ${queries} | ${cells(product)} | ${cells(plain)} |`,
    ),
  ].join('\n')
}
