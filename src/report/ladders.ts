/** What each step of a ladder of layers buys: which kinds of faults it survives where nothing else goes wrong. */
import type { Ladder, PairResult, Results, Step, StepBreak, ViolationResult } from '../contract/results.ts'
import { worstFirst } from '../contract/severity.ts'
import { findingOf } from './break.ts'

/** The layers of a ladder, from the first try on; a layer may be on several. */
export interface LadderPlan {
  readonly name: string
  readonly steps: readonly { readonly step: string; readonly implementation: string }[]
}

type Played = Pick<Results, 'pairs' | 'findings'>

/** Layers that no pure scenario was run with are left out, and so are ladders of which nothing is left. */
export function laddersOf(plans: readonly LadderPlan[], played: Played): Ladder[] {
  const ladders = plans.map(({ name, steps }) => ({
    name,
    steps: steps.map((one) => stepOf(one, played)).filter(({ cells }) => cells.length > 0),
  }))
  return ladders.filter(({ steps }) => steps.length > 0)
}

function stepOf({ step, implementation }: LadderPlan['steps'][number], { pairs, findings }: Played): Step {
  const own = pairs
    .filter((pair) => pair.implementation === implementation && pair.sink === 'plain' && pair.onlyFaults !== undefined)
    .sort((a, b) => (a.scenario < b.scenario ? -1 : 1))
  const cells = own.map((pair) => {
    const { scenario, verdict, runs } = pair
    return { scenario, verdict, runs, broke: breakOf(pair, findings) }
  })
  return { step, implementation, duplicate: duplicateOf(own), cells }
}

/** The worst; where several are as bad, one that needs a fault. */
function breakOf(pair: PairResult, findings: Results['findings']): StepBreak | null {
  const withoutFault = (violation: ViolationResult) => {
    const finding = findingOf(findings, pair, violation)
    return finding?.shrunk === true && finding.cause.needs.length === 0
  }
  const [worst] = [...pair.violations].sort(
    (a, b) => worstFirst(a, b) || Number(withoutFault(a)) - Number(withoutFault(b)),
  )
  if (worst === undefined) return null
  const { invariant, kind, replay } = worst
  return { invariant, kind, withoutFault: withoutFault(worst), replay }
}

function duplicateOf(pairs: readonly PairResult[]): Step['duplicate'] {
  const verdicts = pairs.flatMap(({ invariants }) => invariants['same-result']?.verdict ?? [])
  if (verdicts.includes('n/a')) return 'nothing'
  return verdicts.length > 0 ? 'the result' : null
}
