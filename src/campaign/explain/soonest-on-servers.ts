/**
 * Searches for the run with this violation that takes the least time on real servers. Real servers
 * cannot shorten a lease. So a layer that takes its times from its context gets shorter times. The
 * run with shorter times is used if it breaks in the same way.
 */
import { scaled } from '../../run/time-scale.ts'
import type { JudgedViolation } from '../causes/reported-violation.ts'
import type { OnServers } from '../play/executor.ts'
import { onServers, sooner, soonMs } from '../replay-live/on-servers.ts'
import type { RecordedRun } from '../token/token.ts'
import { trailOf } from '../token/trail.ts'
import type { RunResult } from '../types.ts'
import { type Found, type Player, unlessUnusable } from './player.ts'

/**
 * If the plan's run is slow on real servers, its times are multiplied by each of these factors in
 * turn.
 */
const scales = [0.1, 0.01, 0.001]

/**
 * The run, or the same run with shorter times if it is faster. Undefined if no search was
 * requested.
 */
export async function soonestOnServers(
  player: Player,
  { pair, plan, choices }: Found,
  broke: JudgedViolation,
  recorded: RecordedRun,
  result: RunResult,
): Promise<OnServers | undefined> {
  const { servers, judge, stopped, runWorld } = player.deps
  if (servers === undefined || result.schedule === null) return undefined
  const deps = { servers, judge }
  let soonest = onServers(recorded, result, broke, pair, deps)
  if (player.task.mode === 'look') return soonest
  for (const scale of scales) {
    if (!('ms' in soonest) || soonest.ms <= soonMs || stopped()) return soonest
    const shorter = scaled(plan, scale)
    const request = player.requestOf({ pair, plan: shorter, choices })
    const played = await unlessUnusable(runWorld({ ...request, record: true, schedule: true }))
    const violation = played === null ? null : await player.violationOf(played, pair, request)
    if (played === null || violation === null) continue
    const other = { ...recorded, plan: shorter, ...trailOf(played) }
    soonest = sooner(soonest, onServers(other, played, { ...broke, violation }, pair, deps))!
  }
  return soonest
}
