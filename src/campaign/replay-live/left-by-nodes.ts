/**
 * Decides whether a divergence may be caused by Cluster nodes, whose behavior and views of the
 * Cluster can be reproduced only approximately.
 */
import type { Followed } from '../../contract/results/schedule.ts'
import { sameStep } from '../../contract/results/step.ts'
import { firstOther } from './other-reply.ts'
import type { ScheduledRun } from './run-schedule.ts'

/** Faults of servers and of the links to servers. */
const ofServers: ReadonlySet<string> = new Set([
  ...['redis-restart', 'slow-redis', 'machine-restart', 'machine-cut-off', 'machine-forgotten'],
  ...['partition', 'connection-reset', 'half-open'],
])

type Run = Pick<ScheduledRun, 'schedule' | 'result'>

/** True if Cluster nodes may have caused the divergence of a run that diverged. */
export function leftByNodes(run: Run, followed: Followed): boolean {
  return run.schedule.known !== undefined && (sentElsewhere(run, followed) || isOutOfTurn(run, followed))
}

/**
 * True if a client was redirected or refused in only one of the two runs, or connected to another
 * node.
 */
function sentElsewhere(run: Run, { executed, left }: Followed): boolean {
  const other = firstOther(run, executed)
  const isOfNodes = (reply: string): boolean => /^error (MOVED|ASK|CLUSTERDOWN|TRYAGAIN)$/.test(reply)
  return (
    (other !== null && (isOfNodes(other.simulated) || isOfNodes(other.real))) ||
    (left?.seen?.kind === 'otherwise' && left.seen.cause === 'nodes')
  )
}

/**
 * True if, after a fault of servers, a step of the schedule came at another time. After a fault of
 * servers, clients connect to other servers, and no step records when a connection is established.
 */
function isOutOfTurn({ schedule, result }: Run, { left }: Followed): boolean {
  if (left === null) return false
  const struck = result.history.events.find((event) => event.type === 'fault-struck' && ofServers.has(event.fault))
  if (struck === undefined || struck.seq > schedule.steps[left.step - 1]!.seq) return false
  return left.seen === null || schedule.steps.some(({ step }) => sameStep(step, left.seen))
}
