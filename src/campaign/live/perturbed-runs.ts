/**
 * Plays one run of a seed several times in the simulator, each under another perturbation. The
 * broker's choices are fixed, as in a live run; everything else (latencies, duration of the sink's
 * work) is random, as on real machines. An outcome that occurs in every perturbed run is caused by
 * the plan and not by timing.
 */

import { hashText } from 'virtual-node/kernel'
import type { History } from '../../contract/api/history.ts'
import type { Plan } from '../../contract/api/plan.ts'
import { severity } from '../../contract/api/severity.ts'
import type { SinkKind } from '../../contract/api/sink.ts'
import type { InvariantName } from '../../contract/api/verdict.ts'
import type { NotMadeLive } from '../../contract/results/results.ts'
import { violationsOf, wayOf } from '../causes/reported-violation.ts'
import type { LoadedPair } from '../play/load-pair.ts'
import type { RunChoices } from '../token/run-choices.ts'
import type { CampaignDeps } from '../types.ts'

export interface PlannedRun extends RunChoices {
  readonly plan: Plan
}

export interface SelectionRequest {
  readonly sink: SinkKind
  /** The maximum number of runs to select. */
  readonly wanted: number
  /** Returns the run with the number, as it would be made live. */
  readonly planned: (run: number) => PlannedRun
  /** Returns the faults of the plan that cannot be made. */
  readonly notMade: (plan: Plan) => readonly NotMadeLive[]
  /** The maximum duration of a run, in virtual milliseconds. */
  readonly longestMs: number
}

/** The outcome of a run under one perturbation. */
export interface PerturbedRun {
  readonly run: number
  readonly takesMs: number
  readonly faults: number
  /**
   * The number of faults that are timed close to one of the layer's limits. A real machine may miss
   * such a time.
   */
  readonly aimed: number
  readonly goals: ReadonlySet<string>
  /** Violations, the most severe first. */
  readonly broke: readonly string[]
}

/** The time for which the simulator continues after everything came to rest. */
const gracePeriodMs = 2_000

/**
 * The perturbations slow the sink by the delays that real machines add. There are many
 * perturbations, because a run may break under a few of them by chance.
 */
export const perturbations = Array.from({ length: 16 }, (_, at) => ({
  slowerMs: [0, 10, 20, 40][at % 4]!,
  salt: `try ${at}`,
}))

export type Perturbation = (typeof perturbations)[number]

/** Plays a run under one perturbation; null if one of the run's faults cannot be made. */
export async function playPerturbed(
  pair: LoadedPair,
  { sink, planned, notMade }: SelectionRequest,
  run: number,
  { slowerMs, salt }: Perturbation,
  deps: CampaignDeps,
): Promise<PerturbedRun | null> {
  const { plan, choiceSeed, choices: lists } = planned(run)
  if (notMade(plan).length > 0) return null
  const slower = { ...plan, effectMs: plan.effectMs + slowerMs }
  const choices = {
    seed: hashText(salt, choiceSeed),
    own: { broker: lists === undefined ? choiceSeed : (lists.broker ?? []) },
  }
  const { history } = await deps.runWorld({ ...pair, sink, plan: slower, choices, record: false })
  const broke = violationsOf(deps.judge(history, pair.scenario.invariants, pair.scenario.own))
  const goals = pair.scenario.goals.filter((goal) => deps.reached(goal, history))
  return {
    run,
    takesMs: lastedMs(history),
    faults: plan.faults.length,
    aimed: plan.faults.filter(({ near }) => near !== undefined).length,
    goals: new Set(goals),
    broke: broke.map(wayOf),
  }
}

function lastedMs({ events }: History): number {
  const last = events.at(-1)
  if (last?.type !== 'ended' || !last.complete) return Number.POSITIVE_INFINITY
  return last.atUs / 1000 - gracePeriodMs
}

/**
 * The ways in which the runs broke, the most severe first; of equal severity, the most frequent
 * first.
 */
export function waysOf(broken: readonly PerturbedRun[]): string[] {
  const counts = new Map<string, number>()
  for (const { broke } of broken) for (const way of broke) counts.set(way, (counts.get(way) ?? 0) + 1)
  const severityOf = (way: string) => severity(way.split(' ')[0] as InvariantName)
  return [...counts].sort(([a, n], [b, m]) => severityOf(a) - severityOf(b) || m - n).map(([way]) => way)
}
