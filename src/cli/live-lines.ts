/** The additional facts about a live pair (`PairResult.live`), as lines for a terminal. */

import { notAskedOf } from '../campaign/live/goals-not-asked.ts'
import type { PairResult } from '../contract/results/results.ts'
import { elapsedText } from '../contract/results/time-text.ts'

export function liveLines({ live, goals }: PairResult): string[] {
  if (live === undefined) return []
  const runs = live.runs.map(({ run, readyMs, tookMs, lateMs, withoutPrimaryMs }) => {
    const failover =
      withoutPrimaryMs === undefined ? '' : `, ${elapsedText(withoutPrimaryMs)} without a writable primary`
    return `run ${run}: ready in ${elapsedText(readyMs)}, ${elapsedText(tookMs)} in all, timers at most ${elapsedText(lateMs)} late${failover}`
  })
  const simulated = live.simulated
    .filter(({ says }) => says !== notAskedOf)
    .map(({ run, says }) => `run ${run} in the simulator: ${says}`)
  const notMade = live.notMade.map(({ run, fault, why }) => `left out of live run ${run}: ${fault} (${why})`)
  const notSeen = live.notSeen.map(
    ({ run, fault, why }) => `without visible effect in run ${run}, not counted: ${fault} (${why})`,
  )
  const notAsked = Object.entries(live.notAsked).flatMap(([goal, why]) =>
    goals[goal] === 'n/a' ? [`${goal}: ${why}`] : [],
  )
  const clocks = live.clocks === null ? [] : [`clocks shifted by ${live.clocks}`]
  return [...runs, ...simulated, ...clocks, ...notMade, ...notSeen, ...notAsked].map((line) => `          ${line}`)
}
