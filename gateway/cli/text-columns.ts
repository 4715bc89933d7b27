/** Rows of cells as lines, each column as wide as its widest cell. */
import type { TextMeasure } from './text-width.ts'

export function alignColumns(rows: readonly (readonly string[])[], measure: TextMeasure): string[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, measure.width(cell))
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - measure.width(cell)))
      .join('  ')
      .trimEnd(),
  )
}
