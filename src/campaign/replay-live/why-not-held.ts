/**
 * What several servers did by themselves in the simulator that real ones are not brought to do in
 * the same step.
 */
import type { ReasonUnsaid } from '../../contract/results/live-replay.ts'
import { leaderOf, seenOf } from '../../run/store-steps.ts'
import type { ScheduledRun } from './run-schedule.ts'

export interface NotMade {
  readonly reason: ReasonUnsaid
  /** What of the run it is; null where the reason says it all. */
  readonly what: string | null
}

type Held = Pick<ScheduledRun, 'schedule' | 'until'>

/** Null where they can be brought to all of it. */
export function whyNotHeld(run: Held): NotMade | null {
  return cameBack(run) ?? (run.schedule.known === undefined ? twoAtOnce(run) : (unserved(run) ?? reportsOnItself(run)))
}

/**
 * Of a Cluster: for the time being, a node has heard of no successor, and of the old one that it
 * serves no more.
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
 * Of a Cluster: a replica that is back knows from its disk how far it had come, and tells of
 * itself. A real one gets its records back by commands, and tells of itself once its primary has
 * sent it something: one that is dead, or stands still, sends nothing.
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
 * What a disk kept is written back from what the server had when it died, which has no older word
 * of a key.
 */
function cameBack({ schedule, until }: Held): NotMade | null {
  const lastSeq = schedule.steps[until - 1]!.seq
  const older = schedule.returns.find(({ isOlder, seq }) => isOlder && seq < lastSeq)
  return older === undefined ? null : { reason: 'disk', what: older.server }
}

/**
 * A Sentinel that has not heard of one failover leads another: which replica it takes then is its
 * own affair. So it is where Sentinels go back to a server that another one has replaced, and that
 * leads all the same.
 */
function twoAtOnce({ schedule, until }: Held): NotMade | null {
  /** By Sentinel: whom it tells its clients of. */
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
