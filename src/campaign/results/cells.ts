import type { NeighbourCoverage } from '../../contract/results/results.ts'
import { nameOfScript } from '../../run/command-labels.ts'
import type { Tally } from '../tally/tally.ts'

export interface Cells {
  readonly passed: ReadonlySet<string>
  readonly struck: ReadonlySet<string>
}

/**
 * The crash points of a tally. In a run that never received a script's body, the script is named by
 * its SHA-1. Its name is taken from other runs.
 */
export function cellsOf(tally: Tally): Cells {
  const { cells, cellsSeen } = tally
  const named = namingOf(tally)
  const struck = new Set([...cells].map(named))
  return { struck, passed: new Set([...struck, ...[...cellsSeen].map(named)]) }
}

function namingOf({ scripts }: Tally): (text: string) => string {
  const names = new Map([...scripts].map(([sha, { body }]) => [sha.slice(0, 8), nameOfScript(body)]))
  return (text) =>
    text.replace(/EVALSHA ([0-9a-f]{8})\b/g, (whole, short: string) => {
      const name = names.get(short)
      return name ? `EVALSHA ${name}` : whole
    })
}

/**
 * How many pairs of neighboring commands were separated by a fault, and which were not. Undefined
 * if there are no pairs.
 */
export function neighboursOf(tally: Tally): NeighbourCoverage | undefined {
  if (tally.pairs.size === 0) return undefined
  const named = namingOf(tally)
  const pairs = [...new Set([...tally.pairs].map(named))].sort()
  const separated = new Set([...tally.separated].map(named))
  const isSeparated = (kind: string, pair: string): boolean =>
    separated.has(`${kind}: ${pair}`) || separated.has(`${kind}: ${pair.slice(0, pair.indexOf(arrow) + arrow.length)}`)
  const kinds = [...new Set([...separated].map((one) => one.slice(0, one.indexOf(': '))))].sort()
  return {
    total: pairs.length,
    separated: pairs.filter((pair) => kinds.some((kind) => isSeparated(kind, pair))).length,
    missed: Object.fromEntries(kinds.map((kind) => [kind, pairs.filter((pair) => !isSeparated(kind, pair))])),
  }
}

const arrow = ' → '
