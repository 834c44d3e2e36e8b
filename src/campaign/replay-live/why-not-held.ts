/**
 * Finds actions of several simulated servers that real servers cannot be made to repeat in the same
 * step.
 */
import type { ReasonUnsaid } from '../../contract/results/live-replay.ts'
import { leaderOf, seenOf } from '../../run/store-steps.ts'
import type { ScheduledRun } from './run-schedule.ts'

export interface NotMade {
  readonly reason: ReasonUnsaid
  /** The part of the run that is affected; null if the reason is complete without it. */
  readonly what: string | null
}

type Held = Pick<ScheduledRun, 'schedule' | 'until'>

/** Why real servers cannot repeat the run; null if they can. */
export function whyNotHeld(run: Held): NotMade | null {
  return cameBack(run) ?? (run.schedule.known === undefined ? twoAtOnce(run) : (unserved(run) ?? reportsOnItself(run)))
}

/**
 * In a Cluster, a node knew for a time that the old primary no longer served, but knew no
 * successor.
 */
function unserved({ schedule, until }: Held): NotMade | null {
  const steps = schedule.steps.slice(0, until)
  for (const [at, { step }] of steps.entries()) {
    if (step.kind !== 'knows' || step.view.shards.every(({ owner }) => owner !== null)) continue
    if (seenOf(steps, at) !== null)
      return { reason: 'cluster', what: `${step.server} knows no node for some of the slots` }
  }
  return null
}

/**
 * In a Cluster, a replica that restarted reads its replication offset from its disk and announces
 * itself. A real replica gets its records back by commands, and announces itself only after it has
 * received data from its primary. A primary that is dead or stopped sends nothing.
 */
function reportsOnItself({ schedule, until }: Held): NotMade | null {
  const steps = schedule.steps.slice(0, until)
  for (const { server, seq } of schedule.returns) {
    for (const [at, { step, seq: comesSeq }] of steps.entries()) {
      if (comesSeq < seq || !('server' in step) || step.server !== server) continue
      if (step.kind === 'has-write') break
      if (step.kind !== 'knows' || seenOf(steps, at) !== 'told') continue
      const { shards, failing } = step.view
      if (shards.some(({ owner, replicas }) => failing.includes(owner ?? '') && replicas.includes(server)))
        return { reason: 'cluster', what: `${server} is back and announces itself while its primary is dead` }
    }
  }
  return null
}

/**
 * The disk of a killed server is restored from the server's data at the time of its death. These
 * data contain no older values of a key. So a disk with older values cannot be reproduced.
 */
function cameBack({ schedule, until }: Held): NotMade | null {
  const lastSeq = schedule.steps[until - 1]!.seq
  const older = schedule.returns.find(({ isOlder, seq }) => isOlder && seq < lastSeq)
  return older === undefined ? null : { reason: 'disk', what: older.server }
}

/**
 * A Sentinel that does not know of one failover leads another failover. Its choice of a replica
 * cannot be controlled. The same applies if Sentinels announce a replaced server again that still
 * acts as a primary.
 */
function twoAtOnce({ schedule, until }: Held): NotMade | null {
  /** The primary that each Sentinel reports to its clients. */
  const reported = new Map<string, string>()
  let leads: string | null = null
  for (const [at, { step }] of schedule.steps.slice(0, until).entries()) {
    if (step.kind === 'announces') {
      reported.set(step.watcher, step.primary)
      if (leads !== null && step.primary !== leads)
        return {
          reason: 'sentinels',
          what: `${step.watcher} announces ${step.primary}, which ${leads} has replaced`,
        }
    }
    if (step.kind !== 'promoted') continue
    const leader = leaderOf(schedule.steps, at)
    if (leads !== null && (leader === null || reported.get(leader) !== leads))
      return { reason: 'sentinels', what: `${step.server} is promoted before all have heard of ${leads}` }
    leads = step.server
  }
  return null
}
