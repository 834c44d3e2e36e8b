/** Formats numbers and columns for all tables of the bench. */
import type { Spread } from './spread.ts'

/** Three significant digits, without an exponent. */
export function figure(value: number): string {
  if (Math.abs(value) >= 100) return String(Math.round(value))
  return Math.abs(value) >= 10 ? value.toFixed(1) : Math.abs(value) >= 1 ? value.toFixed(2) : value.toFixed(3)
}

/** The median with the lowest and highest value: `2.10 (1.95 to 2.20)`. */
export function spreadText({ median, low, high }: Spread): string {
  return `${figure(median)} (${figure(low)} to ${figure(high)})`
}

/** The aim as text, and whether it was missed; empty if there is no aim. */
export function aimText(aim: { readonly text: string; readonly met: boolean } | null): string {
  return aim === null ? '' : `aim: ${aim.text}${aim.met ? '' : ', missed'}`
}

/** Rows as aligned columns: the first column is aligned left, the other columns right. */
export function grid(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows
    .map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}
