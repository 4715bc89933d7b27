/** The table that the benchmark prints: Markdown, so that it can be put into the README as it is. */
import type { BenchRow, Measured, Unit } from './row.ts'

export interface Finished {
  readonly row: BenchRow
  readonly measured: Measured
}

export function isMissed({ row, measured }: Finished): boolean {
  return measured.value > row.atMost
}

export function renderTable(finished: readonly Finished[]): string {
  const lines = finished.map((entry) => {
    const { row, measured } = entry
    const verdict = isMissed(entry) ? '**missed**' : 'met'
    return `| \`${row.name}\` | ${row.what} | ${figure(measured.value, row.unit)} | ${figure(row.atMost, row.unit)} | ${verdict} | ${measured.detail} |`
  })
  return ['| row | what | measured | at most | | from |', '|---|---|---|---|---|---|', ...lines].join('\n')
}

function figure(value: number, unit: Unit): string {
  if (unit === 'ratio') return value.toFixed(2)
  return `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`
}
