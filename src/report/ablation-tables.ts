/**
 * For each step of an ablation table: the kinds of faults that its layer survives if nothing else
 * goes wrong.
 */
import type {
  AblationTable,
  PairResult,
  Results,
  Step,
  StepBreak,
  ViolationResult,
} from '../contract/results/results.ts'
import { attributedViolation } from './figures.ts'

/** The layers of an ablation table, the first attempt first. A layer may be in several tables. */
export interface AblationPlan {
  readonly name: string
  readonly steps: readonly { readonly step: string; readonly implementation: string }[]
}

/**
 * Makes the tables. Omits layers that ran in no pure scenario, and tables without layers. Scenarios
 * are in the given `order`; scenarios that it does not list follow.
 */
export function ablationTablesOf(
  plans: readonly AblationPlan[],
  { pairs }: Pick<Results, 'pairs'>,
  order: readonly string[],
): AblationTable[] {
  const place = ({ scenario }: PairResult) => (order.includes(scenario) ? order.indexOf(scenario) : order.length)
  const asked = pairs
    .filter(({ sink, onlyFaults }) => sink === 'plain' && onlyFaults !== undefined)
    .sort((a, b) => place(a) - place(b) || (a.scenario < b.scenario ? -1 : 1))
  const tables = plans.map(({ name, steps }) => ({
    name,
    steps: steps.map((one) => stepOf(one, asked)).filter(({ cells }) => cells.length > 0),
  }))
  return tables.filter(({ steps }) => steps.length > 0)
}

function stepOf({ step, implementation }: AblationPlan['steps'][number], pairs: readonly PairResult[]): Step {
  const own = pairs.filter((pair) => pair.implementation === implementation)
  const cells = own.map((pair) => {
    const { scenario, verdict, runs } = pair
    return { scenario, verdict, runs, broke: breakOf(pair) }
  })
  return { step, implementation, duplicate: duplicateOf(own), cells }
}

function breakOf(pair: PairResult): StepBreak | null {
  const worst = attributedViolation(pair)
  if (worst === undefined) return null
  const { invariant, kind, needsNoFault = false, replay } = worst
  return { invariant, kind, inRuns: firstRunOf(worst, pair) + 1, withoutFault: needsNoFault, replay }
}

/**
 * The number of the first run with this violation. `run` is not always the first: it is the
 * smallest run, and an earlier run may have broken in the same way.
 */
function firstRunOf({ invariant, kind, needsNoFault }: ViolationResult, { violations }: PairResult): number {
  const alike = violations.filter(
    (one) => one.invariant === invariant && one.kind === kind && one.needsNoFault === needsNoFault,
  )
  return Math.min(...alike.flatMap(({ run, runs = [] }) => [run, ...runs]))
}

function duplicateOf(pairs: readonly PairResult[]): Step['duplicate'] {
  const verdicts = pairs.flatMap(({ invariants }) => invariants['same-result']?.verdict ?? [])
  if (verdicts.includes('n/a')) return 'nothing'
  return verdicts.length > 0 && verdicts.every((verdict) => verdict === 'valid') ? 'the result' : null
}
