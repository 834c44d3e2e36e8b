/**
 * Whether nodes of a Cluster may be why a run went otherwise: what they do and believe is brought
 * about, as well as that goes.
 */
import type { Followed } from '../../contract/results/schedule.ts'
import { sameStep } from '../../contract/results/step.ts'
import { firstOther } from './other-reply.ts'
import type { ScheduledRun } from './run-schedule.ts'

/** What befalls servers, or the ways to them. */
const ofServers: ReadonlySet<string> = new Set([
  ...['redis-restart', 'slow-redis', 'machine-restart', 'machine-cut-off', 'machine-forgotten'],
  ...['partition', 'connection-reset', 'half-open'],
])

type Run = Pick<ScheduledRun, 'schedule' | 'result'>

/** Of one that went otherwise. */
export function leftByNodes(run: Run, followed: Followed): boolean {
  return run.schedule.known !== undefined && (sentElsewhere(run, followed) || isOutOfTurn(run, followed))
}

/**
 * A client was sent elsewhere, or away, where it was not in the simulator, or the other way round;
 * or it turned to another node.
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
 * A step of the schedule came at another time, and servers had been struck: clients turn to others
 * then, and no step says when a connection comes about.
 */
function isOutOfTurn({ schedule, result }: Run, { left }: Followed): boolean {
  if (left === null) return false
  const struck = result.history.events.find((event) => event.type === 'fault-struck' && ofServers.has(event.fault))
  if (struck === undefined || struck.seq > schedule.steps[left.step - 1]!.seq) return false
  return left.seen === null || schedule.steps.some(({ step }) => sameStep(step, left.seen))
}
