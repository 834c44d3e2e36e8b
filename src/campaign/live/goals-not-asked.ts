/**
 * A scenario's goals are for the thousands of runs of a campaign. A live command makes a few runs,
 * and answers for those goals that the simulator reaches in the runs that were selected; the others
 * are named.
 */
import type { NotMadeLive } from '../../contract/results/results.ts'
import type { Goal } from '../goals/goal.ts'
import type { SelectedRun } from './cover-goals.ts'

/** `reaches` null: a plan that was made for the goals of its scenario. */
export type ChosenRun = Omit<SelectedRun, 'reaches'> & { readonly reaches: SelectedRun['reaches'] | null }

export interface LiveChoice {
  readonly runs: readonly ChosenRun[]
  /** What kept other runs from being made, and in which of them first. */
  readonly refused: readonly (NotMadeLive & { readonly run: number })[]
  /** Why there is no run; null if there is one. */
  readonly whyNone: string | null
}

/** What the simulator says of a run that is named: nothing. */
export const notAskedOf = 'not asked'

/**
 * A goal is asked for where the simulator misses it less often than once in this many tries of the
 * selected runs.
 */
const surely = 16

/**
 * Why each goal is not asked for, by its name. All of them are asked for where that would leave
 * none, and of a layer that is to break: a pass that reached nothing means nothing.
 */
export function goalsNotAsked(
  goals: readonly string[],
  chosen: readonly ChosenRun[],
  isNamed: boolean,
): { [goal: string]: string } {
  if (isNamed) return Object.fromEntries(goals.map((goal) => [goal, 'not expected of a chosen run']))
  if (chosen.some(({ way, reaches }) => way !== null || reaches === null)) return {}
  const missed = (goal: string) => chosen.reduce((chance, { reaches }) => chance * (1 - (reaches!.get(goal) ?? 0)), 1)
  const best = (goal: string) => Math.max(0, ...chosen.map(({ reaches }) => reaches!.get(goal) ?? 0))
  const why = (goal: string) =>
    `too few live runs: the best one reaches it in ${Math.round(100 * best(goal))} % of simulated tries`
  const rare = goals.filter((goal) => missed(goal) > 1 / surely)
  return rare.length === goals.length ? {} : Object.fromEntries(rare.map((goal) => [goal, why(goal)]))
}

/** Goals that no live run can show, whatever comes about in it: each with the reason. */
export function goalsUnseen(goals: readonly string[], known: readonly Goal[]): { [goal: string]: string } {
  const unseen = goals.filter((name) => known.some((goal) => goal.name === name && goal.onlySimulated))
  return Object.fromEntries(unseen.map((name) => [name, 'visible only in the simulator']))
}
