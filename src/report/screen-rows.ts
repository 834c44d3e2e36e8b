import { stripVTControlCharacters } from 'node:util'

/** The width in columns of the narrowest terminal that the summary must fit. */
export const screenColumns = 100

/**
 * The number of rows that the lines take on such a terminal, which wraps long lines such as tokens.
 */
export function rowsOf(lines: readonly string[]): number {
  const rows = lines
    .flatMap((line) => line.split('\n'))
    .map((line) => Math.max(1, Math.ceil(stripVTControlCharacters(line).length / screenColumns)))
  return rows.reduce((sum, n) => sum + n, 0)
}
