/** Results of hunting every canary on several seeds, within a user's default number of runs. */
import type { CanaryResult, CanaryResults } from '../../src/contract/api/canary.ts'

export interface HuntRow {
  readonly id: string
  readonly sink: string
  /** By seed: runs until it was caught, over all scenarios tried; null if it was not caught. */
  readonly runs: readonly (number | null)[]
  /** From the first seed that caught it. */
  readonly scenario: string
  readonly reported: string
  readonly sentence: string
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
      sentence: caught?.sentence ?? '',
    }
  })
}

function runsOf(result: CanaryResult | undefined): number | null {
  return result?.fate === 'caught' ? result.runs : null
}

export const missed = ({ runs }: HuntRow): boolean => runs.includes(null)

/** The rest of the sentence says why, and the kind says so in a word. */
const twice = /^(the effect of .+ was applied by .+ and again by \S+ at \S+ ms): /

/** The table in `docs/findings/canaries.md`. */
export function huntTable(rows: readonly HuntRow[]): string {
  const lines = rows.map(({ id, sink, runs, scenario, reported, sentence }) => {
    const caught = runs.filter((n) => n !== null)
    const range = caught.length === 0 ? 'none' : `${Math.min(...caught)} to ${Math.max(...caught)}`
    const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
    const story = `${reported}. ${cell(twice.exec(sentence)?.[1] ?? sentence)}`
    return `| \`${id}\` | ${sink} | ${scenario} | ${caught.length} of ${runs.length} | ${range} | ${story} |`
  })
  return ['| canary | sink | scenario | seeds | runs | what is told |', '|---|---|---|---|---|---|', ...lines].join(
    '\n',
  )
}
