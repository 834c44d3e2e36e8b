/**
 * The pictures of a page: for each finding, its run with the nearest passing run; for a replay, its
 * run.
 */

import type { History } from '../../contract/api/history.ts'
import type { RunTrace } from '../../contract/results/run-trace.ts'
import type { Picture } from '../../contract/results/timeline.ts'
import type { ReportedViolation } from '../causes/reported-violation.ts'
import type { RecordedRun } from '../token/token.ts'
import type { CampaignDeps } from '../types.ts'
import type { ShownRun } from './violation-result.ts'

/** The pictures of findings, in the order of the findings. */
export function picturesOf(shown: readonly ShownRun[]): Picture[] {
  return shown.map(({ finding, timeline, nearestPassing }) => {
    const { implementation, sink, id } = finding
    const picture = { implementation, sink, finding: id, timeline }
    if (nearestPassing === null || finding.neighbour === undefined) return picture
    const { what, replay } = finding.neighbour
    return { ...picture, nearestPassing: { what, replay, timeline: nearestPassing } }
  })
}

/** Pictures of a replayed run: one for each of its violations, or one if the run holds. */
export function picturesOfReplay(
  history: History,
  runTrace: RunTrace,
  reported: readonly ReportedViolation[],
  { implementation, sink, plan }: Pick<RecordedRun, 'implementation' | 'sink' | 'plan'>,
  { draw, drawPassing }: Pick<CampaignDeps, 'draw' | 'drawPassing'>,
): Picture[] {
  const about = { implementation, sink, finding: null }
  const [key = null, ...others] = new Set(plan.messages.map((message) => message.key))
  if (reported.length === 0)
    return [{ ...about, timeline: drawPassing({ history, runTrace }, others.length === 0 ? key : null) }]
  return reported.map(({ invariant, violation, story }) => {
    const shows = { invariant, kind: violation.kind }
    return { ...about, shows, timeline: draw({ history, runTrace }, violation, story) }
  })
}
