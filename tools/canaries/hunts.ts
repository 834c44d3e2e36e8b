/** Results of hunting every canary on several seeds, within a user's default number of runs. */
import type { CanaryResult, CanaryResults } from '../../src/contract/api/canary.ts'

export interface HuntRow {
  readonly id: string
  readonly sink: string
  /**
   * For each seed, the runs until the canary was caught, over all scenarios tried; null if it was
   * not caught.
   */
  readonly runs: readonly (number | null)[]
  /** The scenario of the first seed that caught the canary. */
  readonly scenario: string
  readonly reported: string
}

/**
 * One row for each canary. A seed on which it survived or could not be checked counts as not
 * caught.
 */
export function huntRows(bySeed: readonly CanaryResults[]): HuntRow[] {
  const ids = [...new Set(bySeed.flatMap(({ canaries }) => canaries.map(({ id }) => id)))]
  return ids.map((id) => {
    const found = bySeed.map(({ canaries }) => canaries.find((canary) => canary.id === id))
    const caught = found.flatMap((one) => (one?.caught ? [one.caught] : []))[0]
    return {
      id,
      sink: found.find((one) => one !== undefined)?.sink ?? '',
      runs: found.map(runsOf),
      scenario: caught?.scenario ?? '',
      reported: caught === undefined ? 'survived' : `${caught.invariant}: ${caught.kind}`,
    }
  })
}

function runsOf(result: CanaryResult | undefined): number | null {
  return result?.fate === 'caught' ? result.runs : null
}

export const missed = ({ runs }: HuntRow): boolean => runs.includes(null)

/** The table in `docs/findings/canaries.md`. */
export function huntTable(rows: readonly HuntRow[]): string {
  const lines = rows.map(({ id, sink, runs, scenario, reported }) => {
    const caught = runs.filter((n) => n !== null)
    const range = caught.length === 0 ? 'none' : `${Math.min(...caught)} to ${Math.max(...caught)}`
    return `| \`${id}\` | ${sink} | ${scenario} | ${caught.length} of ${runs.length} | ${range} | ${reported} |`
  })
  return ['| canary | sink | scenario | seeds | runs | violation |', '|---|---|---|---|---|---|', ...lines].join('\n')
}
