/** Additional facts behind the verdict on a live pair, as lines for a terminal. */

import { notAskedOf } from '../campaign/live/goals-not-asked.ts'
import type { PairResult } from '../contract/results/results.ts'

export function liveLines({ live, goals }: PairResult): string[] {
  if (live === undefined) return []
  const runs = live.runs.map(({ run, readyMs, tookMs, lateMs, withoutPrimaryMs }) => {
    const failover = withoutPrimaryMs === undefined ? '' : `, ${withoutPrimaryMs} ms without a writable primary`
    return `run ${run}: ready in ${readyMs} ms, ${tookMs} ms in all, timers late by ${lateMs} ms at most${failover}`
  })
  const simulated = live.simulated
    .filter(({ says }) => says !== notAskedOf)
    .map(({ run, says }) => `run ${run} in the simulator: ${says}`)
  const notMade = live.notMade.map(({ run, fault, why }) => `not made live in run ${run}: ${fault} (${why})`)
  const notSeen = live.notSeen.map(
    ({ run, fault, why }) => `not seen in run ${run}, and not counted: ${fault} (${why})`,
  )
  const notAsked = Object.entries(live.notAsked).flatMap(([goal, why]) =>
    goals[goal] === 'n/a' ? [`${goal}: ${why}`] : [],
  )
  const clocks = live.clocks === null ? [] : [`clocks shifted by ${live.clocks}`]
  return [...runs, ...simulated, ...clocks, ...notMade, ...notSeen, ...notAsked].map((line) => `          ${line}`)
}
