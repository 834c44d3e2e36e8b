import type { Implementation } from '../contract/implementation.ts'
import type { Workbench } from './workbench.ts'

/** Why some goals can be reached by no run of a layer, by the goal's name. */
export function goalReasons(
  goals: readonly string[],
  layer: Implementation,
  { notApplicable }: Pick<Workbench, 'notApplicable'>,
): { [goal: string]: string } {
  const reasons = goals.map((goal) => [goal, notApplicable(goal, layer)] as const)
  return Object.fromEntries(reasons.filter((entry): entry is [string, string] => entry[1] !== null))
}
