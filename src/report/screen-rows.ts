import { stripVTControlCharacters } from 'node:util'

/** The narrowest terminal that a summary is made to fit. */
export const screenColumns = 100

/** Rows that lines take there: long ones, such as tokens, are broken. */
export function rowsOf(lines: readonly string[]): number {
  const rows = lines
    .flatMap((line) => line.split('\n'))
    .map((line) => Math.max(1, Math.ceil(stripVTControlCharacters(line).length / screenColumns)))
  return rows.reduce((sum, n) => sum + n, 0)
}
