/** The table of docs/replay-live.md. */
import type { LiveReplay } from '../../src/contract/results/live-replay.ts'
import type { Finding } from '../../src/contract/results/results.ts'

export interface Row {
  readonly id: string
  readonly finding: Pick<Finding, 'scenario' | 'cause' | 'faultCount'>
  /** Never empty. */
  readonly made: readonly LiveReplay[]
}

/** A pattern whose records are kept in a store that `replay-live` has no server of. */
export interface Elsewhere {
  readonly id: string
  readonly store: string
}

const [begin, end] = ['<!-- table: `pnpm live-replays --write` -->', '<!-- end of table -->']

export function tableOf(rows: readonly Row[], elsewhere: readonly Elsewhere[]): string {
  const makeable = rows.filter(({ made }) => cannotBeMade(made) === null)
  const tries = makeable.flatMap(({ made }) => made)
  return [
    '| pattern | scenario | what breaks | decided by | faults | steps | seconds | confirmed |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map(lineOf),
    '',
    `Confirmed: ${tries.filter(isConfirmed).length} of ${tries.length} tries of ${makeable.length} patterns; ${rows.length - makeable.length} of ${rows.length} cannot be made.`,
    '',
    ...elsewhere.map(({ id, store }) => `Not played: \`${id}\`, on ${store}, which \`replay-live\` does not have.\n`),
  ].join('\n')
}

function lineOf({ id, finding: { scenario, cause, faultCount }, made }: Row): string {
  const first = made[0]!
  const times = made.filter(isConfirmed).length
  const others = [...new Set(made.flatMap(({ answer, why }) => (answer === 'confirmed' ? [] : (why ?? []))))]
  const answer =
    cannotBeMade(made) === null
      ? `${times} of ${made.length}${others.map((why) => `; ${why}`).join('')}`
      : `cannot be made: ${cannotBeMade(made)}`
  const cells = [
    `\`${id}\``,
    `\`${scenario}\``,
    `${cause.invariant} (${cause.kind})`,
    cause.decidedBy === null ? '' : `\`${cause.decidedBy}\``,
    String(faultCount),
    String(first.steps.of),
    cannotBeMade(made) === null ? (median(made.map(({ tookMs }) => tookMs)) / 1000).toFixed(1) : '',
    answer,
  ]
  return `| ${cells.join(' | ')} |`
}

/** Why none of its tries was made; null where they were. */
export const cannotBeMade = ([first]: readonly LiveReplay[]): string | null =>
  first!.answer === 'cannot be made' ? first!.why : null

const isConfirmed = ({ answer }: LiveReplay): boolean => answer === 'confirmed'

const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!

/** @throws Error where the page has no place for it */
export function withTable(page: string, table: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from === -1 || to === -1) throw new Error(`the page has no ${begin} … ${end}`)
  return `${page.slice(0, from)}${begin}\n\n${table}\n${page.slice(to)}`
}
