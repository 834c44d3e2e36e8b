import { stripVTControlCharacters } from 'node:util'

/** The narrowest terminal that the summary must fit, in columns. */
export const screenColumns = 100

/** Number of rows for the lines on such a terminal: long lines, such as tokens, are wrapped. */
export function rowsOf(lines: readonly string[]): number {
  const rows = lines
    .flatMap((line) => line.split('\n'))
    .map((line) => Math.max(1, Math.ceil(stripVTControlCharacters(line).length / screenColumns)))
  return rows.reduce((sum, n) => sum + n, 0)
}
