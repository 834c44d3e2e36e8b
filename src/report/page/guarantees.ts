/**
 * A table of guarantees by Redis deployment: what a layer guarantees on each deployment, over all
 * columns of its configuration search.
 */

import { worstFirst } from '../../contract/api/severity.ts'
import type { InvariantName } from '../../contract/api/verdict.ts'
import type {
  ConfigurationSearchCell,
  ConfigurationSearchLayer,
  ConfigurationSearchResults,
} from '../../contract/results/configuration-search.ts'
import type { PairResult } from '../../contract/results/results.ts'
import { breakOf } from '../break.ts'
import { rowsOf } from '../configuration-search-summary.ts'
import { counted, goalFigures } from '../figures.ts'
import { breakAnchor, pairAnchor } from './anchor.ts'
import { type HeatCell, heatTable, type Legend, toneOf } from './heat.ts'
import { type Html, html } from './html.ts'

type Played = ConfigurationSearchCell & { readonly pair: PairResult }

export function guarantees(layer: ConfigurationSearchLayer, results: ConfigurationSearchResults): Html {
  const played = layer.cells.filter((cell): cell is Played => cell.pair !== null)
  const judged = new Set(played.flatMap(({ pair }) => Object.keys(pair.invariants) as InvariantName[]))
  const names = [...judged].sort((a, b) => worstFirst({ invariant: a }, { invariant: b }))
  const legend: Legend = new Map()
  const rows = rowsOf(layer, results).map(({ id, title }) => {
    const here = played.filter(({ configuration }) => configuration === id)
    return { head: title, cells: names.map((name) => cellOf(name, title, here, results, legend)) }
  })
  const label = `Guarantees of ${layer.implementation} on Redis deployments`
  return html`${heatTable({ label, corner: 'Redis', columns: names, rows, legend })}`
}

/** The cell of one deployment and one guarantee: the number of columns that break the guarantee. */
function cellOf(
  name: InvariantName,
  title: string,
  cells: readonly Played[],
  { losses }: Pick<ConfigurationSearchResults, 'losses'>,
  legend: Legend,
): HeatCell | null {
  const asked = cells.filter(
    ({ pair }) => pair.invariants[name] !== undefined && pair.invariants[name].verdict !== 'n/a',
  )
  const [any] = asked
  if (any === undefined) return null
  const runs = asked.reduce((sum, { pair }) => sum + pair.runs, 0)
  const broken = asked.filter(({ pair }) => pair.invariants[name]!.verdict === 'violated')
  if (broken.length > 0) {
    const titles = broken.map(({ loss }) => losses.find(({ id }) => id === loss)?.title ?? loss)
    const says = `${title}: ${name} is broken by ${titles.join(', ')}`
    legend.set('1', {
      means: 'number of columns of the table above that break it',
      tone: toneOf({ invariant: name, kind: '' }),
    })
    return {
      sign: String(broken.length),
      tone: toneOf({ invariant: name, kind: '' }),
      says,
      anchor: anchorOf(name, broken),
    }
  }
  if (asked.every(({ pair }) => pair.invariants[name]!.verdict === 'valid' && reachedItsGoals(pair)))
    return {
      sign: '✓',
      tone: 'pass',
      says: `${title}: ${name} held in ${counted(runs, 'run')}`,
      anchor: pairAnchor(any.pair),
    }
  legend.set('?', { means: 'no verdict', tone: 'open' })
  return { sign: '?', tone: 'open', says: `${title}: no verdict on ${name}`, anchor: pairAnchor(any.pair) }
}

/** True if the run reached its goals. Otherwise it proves nothing, even if it did not break. */
function reachedItsGoals(pair: PairResult): boolean {
  const { reached, of } = goalFigures(pair)
  return pair.verdict === 'pass' || (pair.verdict === 'violated' && reached === of)
}

/**
 * The anchor of the story of a violation, if a cell has one; otherwise that of the evidence for the
 * first verdict.
 */
function anchorOf(name: InvariantName, [first, ...others]: readonly Played[]): string {
  const reported = [first!, ...others].find(({ violation }) => violation?.invariant === name)
  if (reported?.violation == null) return pairAnchor(first!.pair)
  return breakAnchor(breakOf([], reported.pair, reported.violation))
}
