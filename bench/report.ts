/** The table that the benchmark prints: Markdown, so that it can be put into the README as it is. */
import type { BenchRow, Measured, Unit } from './row.ts'

export interface Finished {
  readonly row: BenchRow
  readonly measured: Measured
}

export function isMissed({ row, measured }: Finished): boolean {
  return 'atMost' in row ? measured.value > row.atMost : measured.value < row.atLeast
}

export function renderTable(finished: readonly Finished[]): string {
  const lines = finished.map((entry) => {
    const { row, measured } = entry
    const verdict = isMissed(entry) ? '**missed**' : 'met'
    return `| \`${row.name}\` | ${row.what} | ${figure(measured.value, row.unit)} | ${barOf(row)} | ${verdict} | ${measured.detail} |`
  })
  return ['| row | what | measured | bar | | from |', '|---|---|---|---|---|---|', ...lines].join('\n')
}

function barOf(row: BenchRow): string {
  return 'atMost' in row ? `≤ ${figure(row.atMost, row.unit)}` : `≥ ${figure(row.atLeast, row.unit)}`
}

function figure(value: number, unit: Unit): string {
  if (unit === 'ratio') return value.toFixed(2)
  if (unit === 'bars') return String(value)
  if (unit === 'hosts' || unit === 'bytes') return `${value} ${unit}`
  return `${value.toFixed(value < 1 ? 2 : value < 10 ? 1 : 0)} ${unit}`
}
