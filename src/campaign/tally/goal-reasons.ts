import type { Implementation } from '../../contract/api/implementation.ts'
import type { SinkKind } from '../../contract/api/sink.ts'
import type { CampaignDeps } from '../types.ts'

/** Reasons for goals that no run of a layer on a sink can reach, by the goal's name. */
export function goalReasons(
  goals: readonly string[],
  layer: Implementation,
  sink: SinkKind,
  { notApplicable }: Pick<CampaignDeps, 'notApplicable'>,
): { [goal: string]: string } {
  const reasons = goals.map((goal) => [goal, notApplicable(goal, layer, sink)] as const)
  return Object.fromEntries(reasons.filter((entry): entry is [string, string] => entry[1] !== null))
}
