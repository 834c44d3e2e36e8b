/** The table of docs/findings/real-servers.md. */
import type { LiveReplay } from '../../src/contract/results/live-replay.ts'
import { usualBudgetMs } from '../../src/contract/results/live-replay.ts'
import type { RootCause } from '../../src/contract/results/results.ts'
import { elapsedText } from '../../src/contract/results/time-text.ts'

/** A root cause in `replay-live --all --json`. */
export interface Made extends Pick<RootCause, 'id' | 'name' | 'sink'> {
  readonly answer: LiveReplay['answer'] | 'left out'
  readonly why: string | null
  readonly confirmation: LiveReplay | null
}

export interface Row {
  readonly id: string
  readonly rootCauses: readonly Pick<RootCause, 'id' | 'sink' | 'live'>[]
  readonly made: readonly Made[]
}

/** A pattern with records in a store for which `replay-live` starts no server. */
export interface Elsewhere {
  readonly id: string
  readonly store: string
}

const [begin, end] = ['<!-- table: `pnpm live-replays --write` -->', '<!-- end of table -->']

export function tableOf(rows: readonly Row[], elsewhere: readonly Elsewhere[]): string {
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0)
  const [all, short, confirmed] = [sum((row) => row.made.length), sum(shortOf), sum(confirmedOf)]
  const soon = rows.filter((row) => quickestOf(row) <= 60_000).length
  return [
    '| pattern | root causes | of at most 10 min | confirmed | the quickest | the others |',
    '|---|---|---|---|---|---|',
    ...rows.map(lineOf),
    '',
    `Root causes: ${all}, of which ${short} need ten minutes or less. Confirmed: ${confirmed} of these ${short}. Patterns with one confirmed within 60 s: ${soon} of ${rows.length}.`,
    '',
    ...elsewhere.map(({ id, store }) => `Not played: \`${id}\`, on ${store}, which \`replay-live\` does not have.\n`),
  ].join('\n')
}

function lineOf(row: Row): string {
  const reasons = new Map<string, string[]>()
  for (const { name, sink, answer, why } of row.made) {
    if (answer === 'confirmed') continue
    const reason = reasonOf(answer, why ?? '')
    reasons.set(reason, [...(reasons.get(reason) ?? []), sink === 'plain' ? name : `${name} (${sink})`])
  }
  const others = [...reasons].map(([reason, names]) => `${names.join(', ')}: ${reason}`)
  const quickest = quickestOf(row)
  const cells = [
    `\`${row.id}\``,
    String(row.made.length),
    String(shortOf(row)),
    String(confirmedOf(row)),
    quickest === Number.POSITIVE_INFINITY ? '' : elapsedText(quickest),
    others.join('; '),
  ]
  return `| ${cells.join(' | ')} |`
}

/** A short reason: `takes 24 h`. The exact time is in the results. */
function reasonOf(answer: Made['answer'], why: string): string {
  const takes = /it takes about (\d+ (?:h|min))/.exec(why)?.[1]
  if (answer === 'left out' && takes !== undefined) return `takes ${takes}`
  // The name of a fault that cannot be injected on real servers.
  return /^([a-z-]+) \(/.exec(why)?.[1] ?? answer
}

/** The number of root causes that need at most ten minutes. */
const shortOf = ({ rootCauses, made }: Row): number =>
  made.filter(({ id, sink }) => {
    const live = rootCauses.find((one) => one.id === id && one.sink === sink)?.live
    return live !== undefined && 'ms' in live && live.ms <= usualBudgetMs
  }).length

const confirmedOf = ({ made }: Row): number => made.filter(({ answer }) => answer === 'confirmed').length

/** The duration of the shortest confirmation in milliseconds; Infinity if nothing was confirmed. */
const quickestOf = ({ made }: Row): number =>
  Math.min(
    ...made.map(({ answer, confirmation }) =>
      answer === 'confirmed' ? confirmation!.tookMs : Number.POSITIVE_INFINITY,
    ),
  )

/**
 * The page with the new table.
 * @throws Error if the page lacks the marks for the table
 */
export function withTable(page: string, table: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from === -1 || to === -1) throw new Error(`the page has no ${begin} … ${end}`)
  return `${page.slice(0, from)}${begin}\n\n${table}\n${page.slice(to)}`
}
