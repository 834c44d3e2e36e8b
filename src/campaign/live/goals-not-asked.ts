/**
 * A scenario's goals are meant for the thousands of runs of a campaign. A live command makes only a
 * few runs. So it requires only the goals that the simulator reaches in the selected runs, and
 * lists the other goals.
 */
import type { NotMadeLive } from '../../contract/results/results.ts'
import type { Goal } from '../goals/goal.ts'
import type { SelectedRun } from './cover-goals.ts'

/** `reaches`: null for a plan that was made for live runs. */
export type ChosenRun = Omit<SelectedRun, 'reaches'> & { readonly reaches: SelectedRun['reaches'] | null }

export interface LiveChoice {
  readonly runs: readonly ChosenRun[]
  /** The faults that cannot be made, each with the first run that was excluded because of it. */
  readonly refused: readonly (NotMadeLive & { readonly run: number })[]
  /** Why there is no run; null if there is one. */
  readonly whyNone: string | null
}

/** The simulator does not predict a run that the user names, so its goals are not required. */
export const notAskedOf = 'not asked'

/**
 * A goal is required if, according to the simulator, the probability that all selected runs miss it
 * is at most one in this number.
 */
const surely = 16

/**
 * For each goal that is not required, the reason. A pass that reached no goal means nothing. So all
 * goals are required if otherwise none would be, or if the layer should break.
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

/** Goals that only the simulator can observe, each with the reason. */
export function goalsUnseen(goals: readonly string[], known: readonly Goal[]): { [goal: string]: string } {
  const unseen = goals.filter((name) => known.some((goal) => goal.name === name && goal.onlySimulated))
  return Object.fromEntries(unseen.map((name) => [name, 'visible only in the simulator']))
}
