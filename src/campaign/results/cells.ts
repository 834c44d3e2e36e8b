import { nameOfScript } from '../../run/command-labels.ts'
import type { Tally } from '../tally/tally.ts'

export interface Cells {
  readonly passed: ReadonlySet<string>
  readonly struck: ReadonlySet<string>
}

/**
 * Crash points of a tally. Runs that never saw a script's body name it by its SHA-1; its name comes from the other
 * runs.
 */
export function cellsOf({ cells, cellsSeen, scripts }: Tally): Cells {
  const names = new Map([...scripts].map(([sha, { body }]) => [sha.slice(0, 8), nameOfScript(body)]))
  const named = (cell: string): string =>
    cell.replace(/EVALSHA ([0-9a-f]{8})\b/, (whole, short: string) => {
      const name = names.get(short)
      return name ? `EVALSHA ${name}` : whole
    })
  const struck = new Set([...cells].map(named))
  return { struck, passed: new Set([...struck, ...[...cellsSeen].map(named)]) }
}
