/** The share of a scenario's runs that reaches each of its goals. */
import { aimOf } from '../../src/campaign/play/draw-run.ts'
import type { Scenario } from '../../src/contract/api/scenario.ts'

/** The goals that one run of one seed reached. */
export interface ReachedRun {
  readonly run: number
  readonly goals: ReadonlySet<string>
}

export interface GoalShare {
  readonly goal: string
  /** Among all runs, including aimed ones. */
  readonly all: number
  /** Among the runs drawn from the scenario's `plans`. */
  readonly unaimed: number
  /** Among the runs of each aimed draw. */
  readonly aimed: readonly number[]
}

export function sharesOf(goals: readonly string[], { aimed }: Pick<Scenario, 'aimed'>, runs: readonly ReachedRun[]) {
  const drawnBy = (draw: number | null) => runs.filter(({ run }) => aimOf(aimed, run) === draw)
  const unaimed = drawnBy(null)
  const draws = (aimed?.draws ?? []).map((_, draw) => drawnBy(draw))
  return goals.map(
    (goal): GoalShare => ({
      goal,
      all: shareOf(goal, runs),
      unaimed: shareOf(goal, unaimed),
      aimed: draws.map((some) => shareOf(goal, some)),
    }),
  )
}

function shareOf(goal: string, runs: readonly ReachedRun[]): number {
  return runs.filter(({ goals }) => goals.has(goal)).length / runs.length
}
